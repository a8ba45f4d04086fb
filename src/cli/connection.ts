import { readFile } from "node:fs/promises";
import { createClient, type VegaClient } from "../client.js";
import { ArgumentError } from "../errors/index.js";
import { type Block, readBlock } from "../http/index.js";
import type { Context } from "./command.js";
import { UsageError } from "./exit.js";
import { refuse } from "./flag-values.js";
import { logEvents } from "./verbose.js";

/** A client and what it has learned of its node. */
export interface Connection {
  readonly client: VegaClient;
  /** The address of the node. */
  readonly node: string;
  /** The blocks that the first and the last response named. */
  readonly blocks: { first?: Block; last?: Block };
}

/** Creates the client of the node that the flags or the environment name. */
export async function connect({ io, values }: Context): Promise<Connection> {
  const [node = io.env["VEGAPROTOCOL_NODE"] ?? "", ...others] = values.all("node");
  if (others.length > 0) throw new UsageError("Expected one --node.");
  if (node === "") {
    throw new UsageError(
      "Expected --node URL, the address of a data node, or the environment variable VEGAPROTOCOL_NODE.",
    );
  }
  const timeout = values.duration("timeout");
  const retries = values.integer("retries", { minimum: 0 });
  const blocks: Connection["blocks"] = {};
  const fetch = io.fetch ?? ((request: Request) => globalThis.fetch(request));
  try {
    const client = createClient({
      baseUrl: node,
      headers: await readHeaders(values.all("header")),
      pacing: !values.has("no-pacing"),
      timeout,
      retry: retries === undefined ? undefined : retries > 0 && { attempts: retries + 1 },
      observe: values.has("verbose") ? logEvents(io) : undefined,
      fetch: async (request) => {
        const response = await fetch(request);
        const block = readBlock(response);
        if (block) Object.assign(blocks, { first: blocks.first ?? block, last: block });
        return response;
      },
    });
    return { client, node, blocks };
  } catch (error) {
    if (!ArgumentError.is(error)) throw error;
    throw new UsageError(error.message.replace("`baseUrl`", "--node").replaceAll("`headers`", "--header"));
  }
}

/** Reads `Name: value`, or `@FILE` with one of them on each line, which keeps secrets out of lists of processes. */
async function readHeaders(entered: readonly string[]): Promise<[string, string][]> {
  const lines = await Promise.all(
    entered.map(async (each) =>
      each.startsWith("@") ? (await readFile(each.slice(1), "utf8")).split(/\r?\n/) : [each],
    ),
  );
  return lines.flat().flatMap((line): [string, string][] => {
    if (line.trim() === "") return [];
    const [, name, value = ""] = /^([^:\s]+):\s*(.*?)\s*$/.exec(line) ?? [];
    // The value is not shown, because it may be a secret.
    return name === undefined
      ? refuse("header", "'Name: value' or @FILE with such lines", "other text")
      : [[name, value]];
  });
}

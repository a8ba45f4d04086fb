import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { FakeNetwork } from "vegaprotocol-client/testing";
import { parse } from "yaml";
import type { RawPage } from "../../../test/support/raw-requests.js";
import { readLines, startServing } from "./run-cli.js";

type Fetch = (request: Request) => Promise<Response>;

const ajv = new Ajv2020({ strict: false, logger: false });
ajv.addSchema(parse(readFileSync(new URL("../../dist/gateway.yaml", import.meta.url), "utf8")), "gateway.yaml");

/** Checks a successful response against the description of the gateway. */
export function checkResponse(path: string, type: string, body: unknown): void {
  const pointer = ["paths", path, "get", "responses", "200", "content", type, "schema"];
  const names = pointer.map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1"));
  const validate = ajv.getSchema(`gateway.yaml#/${names.join("/")}`);
  if (!validate?.(body)) throw new Error(ajv.errorsText(validate?.errors));
}

/** Starts the command `serve` on a free port. It ends with the test. */
export async function startGateway(
  nodes: readonly string[],
  flags: readonly string[],
  fetch: Fetch,
  now?: () => number,
) {
  const own = ["--port", "0", ...nodes.flatMap((node) => ["--node", node])];
  const { url, stderr, close } = await startServing(["serve", ...own, ...flags], fetch, 1, now);
  /** The lines of its log. */
  const log = (): Record<string, unknown>[] => readLines(stderr());
  return { url, log, stderr, close };
}

/** Starts a gateway in front of a network. */
export async function serve(
  network: FakeNetwork,
  flags: readonly string[] = [],
  fetch: Fetch = network.fetch,
  now?: () => number,
) {
  const urls = network.nodes.map(({ url }) => url);
  const gateway = await startGateway(urls, flags, fetch, now);
  // It checks the nodes when it starts.
  await globalThis.fetch(`${gateway.url}/readyz`);
  for (const node of network.nodes) node.requests.length = 0;
  return gateway;
}

/** Sends a request, and reads the JSON of the response. */
export async function send(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A page of the gateway. */
interface ServedPage {
  readonly records: Record<string, string>[];
  readonly headers: Headers;
  readonly coverage?: { readonly startTimestamp: string; readonly endTimestamp: string };
  /** The path of the next page. */
  readonly next: string | undefined;
}

/** Walks a list with the plain loop: `after = endCursor` while `hasNextPage`, or backward from the `last` records. */
export async function loop(base: string, path: string): Promise<ServedPage[]> {
  const [name, cursor, hasMore] = path.includes("pagination.last")
    ? (["before", "startCursor", "hasPreviousPage"] as const)
    : (["after", "endCursor", "hasNextPage"] as const);
  const pages: ServedPage[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const response: Response = await fetch(base + next);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const served = await response.json();
    if (served.balances) checkResponse("/api/v2/balance/changes", "application/json", served);
    const { coverage, ...body } = served;
    const [{ edges, pageInfo }] = Object.values(body) as [RawPage<Record<string, string>>];
    next = pageInfo[hasMore] ? `${path}&pagination.${name}=${pageInfo[cursor]}` : undefined;
    pages.push({ records: edges.map(({ node }) => node), headers: response.headers, coverage, next });
  }
  return pages;
}

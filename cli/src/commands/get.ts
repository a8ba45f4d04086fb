/** The command `get`: lists and objects of a node that the description does not have. */
import { paginate, type VegaClient } from "vegaprotocol-client";
import { type Definition, exampleIds } from "../command.js";
import { connect } from "../connection.js";
import { ExitError, exitCodes, UsageError } from "../errors.js";
import * as flag from "../flags.js";
import type { Io } from "../io.js";
import type { ColumnKind } from "../operations.js";
import { getPath, isPage, isUnknownPath } from "../other-paths.js";
import { type Encoder, readColumnNames, type WireRecord } from "../output/columns.js";
import { readTarget } from "../output/file.js";
import { createEncoder, formatOf, printObject } from "../output/print.js";
import { createPrinter } from "../output/printer.js";

const columnsText = "The members to print, separated by commas, such as id,details.symbol. Default: all.";

export const getCommand: Definition = {
  name: "get",
  summary: "Get any list or object of a node, page by page.",
  details:
    "PATH is a path of the node's REST API with its query, such as /api/v2/assets. All pages of a list are requested. Unlike the other " +
    "commands, get does not promise that a list is complete: the cursors of nodes repeat or skip records of some lists.",
  arguments: ["<PATH>"],
  flags: [
    flag.limitFlag(),
    ...flag.fileFlags(),
    flag.outputFlag("--columns <NAMES>", columnsText),
    flag.quietFlag(),
    ...flag.nodeFlags(),
    flag.pageSizeFlag("the page size of the node"),
  ],
  examples: [
    "get /api/v2/parties/profiles -n 5 --format csv",
    `get "/api/v2/node/signatures?id=${exampleIds.resource}"`,
    "get /api/v2/assets --columns id,details.symbol,details.decimals -o assets.csv",
  ],
  async run(io, flags, [entered = ""]) {
    const { pathname, searchParams } = readPath(entered);
    const { format, output } = flags;
    const target = readTarget(output, format);
    const encoder = createAnyEncoder(io, flags, target?.format);
    const printer = createPrinter(io, flags, encoder, target);
    const { limit: maxItems } = printer;
    const { pageSize = maxItems !== undefined && maxItems < 1000 ? maxItems : undefined } = flags;
    let object: WireRecord | undefined;
    try {
      const { client } = await connect(io, flags);
      client.http.use({
        // A status without a body allows `null` only.
        onResponse: async ({ response }) => new Response(withExactNumbers(await response.text()) || null, response),
      });
      const fetchPage = async ({ after }: { after?: string }, signal: AbortSignal) => {
        const size = pageSize ?? searchParams.get("pagination.first");
        if (size !== null) searchParams.set("pagination.first", String(size));
        if (after !== undefined) searchParams.set("pagination.after", after);
        const body = await request(client, pathname, searchParams, signal);
        const page = Object.values(body).find((member) => isPage<WireRecord>(member));
        if (page === undefined && after !== undefined) {
          const got = JSON.stringify(body).slice(0, 60);
          throw new ExitError(`Expected GET ${pathname} to return the next page of the list, got ${got}.`);
        }
        if (page === undefined) object = body;
        return page ?? { edges: [], pageInfo: { hasNextPage: false } };
      };
      const walk = paginate(
        fetchPage as Parameters<typeof paginate<WireRecord>>[0],
        {},
        { maxItems, signal: io.signal },
      );
      for await (const record of walk) await printer.add(record);
      const found = object;
      if (found !== undefined && target === undefined && flags.columns === undefined) {
        await printObject(io, flags, async () => found);
        return;
      }
      if (found !== undefined) await printer.add(found);
      await printer.end();
      await printer.finish();
    } catch (error) {
      await printer.stop();
      throw error;
    }
    printer.printNotes("first", encoder.notes(), object && "one object");
  },
};

/** Keeps the path as it was entered: `.` and `..` would lead to another one. */
function readPath(entered: string): { pathname: string; searchParams: URLSearchParams } {
  const [, path = "", query = ""] = /^([^?#\s]+)(?:\?([^#\s]*))?$/.exec(entered) ?? [];
  const pathname = path.startsWith("/") ? path : `/${path}`;
  const { pathname: parsed } = new URL(pathname, "http://node.example");
  const hasDrive = /^[a-z]:/i.test(entered);
  if (path !== "" && !hasDrive && !path.includes("://") && parsed === pathname) {
    const searchParams = new URLSearchParams(query);
    const backward = ["pagination.last", "pagination.before"].find((name) => searchParams.has(name));
    if (backward !== undefined)
      throw new UsageError(
        `get reads a list from its start: PATH cannot have ${backward}. Use -n or pagination.first.`,
      );
    return { pathname, searchParams };
  }
  const advice = hasDrive ? " Git Bash replaces the first slash: leave it out." : "";
  throw new UsageError(
    `Expected PATH to be a path of the node's REST API, such as /api/v2/assets, got "${entered}".${advice}`,
  );
}

/** Turns numbers that JavaScript would round into strings. */
function withExactNumbers(json: string): string {
  let isInText = false;
  return json.replaceAll(/\\.|"|-?\d[\d.eE+-]{15,}/g, (token) => {
    if (token === '"') isInText = !isInText;
    else if (!isInText && String(Number(token)) !== token) return `"${token}"`;
    return token;
  });
}

async function request(client: VegaClient, path: string, query: URLSearchParams, signal: AbortSignal) {
  const result = await getPath(client, query.size > 0 ? `${path}?${query}` : path, { signal });
  const { data, error, response } = result;
  if (typeof data === "object" && data !== null) return data as WireRecord;
  const got = JSON.stringify(data) ?? "an empty body";
  if (response.ok) throw new ExitError(`Expected GET ${path} to return a JSON object, got ${got}.`);
  const { message, details } = (error ?? {}) as { message?: string; details?: { message?: string }[] | null };
  const reason = [message, details?.[0]?.message].filter(Boolean).join(": ");
  // Nodes ban with status 403. The header has the length of the ban in seconds.
  const seconds = response.headers.get("RateLimit-Retry-After");
  const code = response.status === 429 || seconds !== null ? exitCodes.rateLimited : exitCodes.failed;
  const advice = seconds === null ? "" : ` Wait ${seconds} seconds.`;
  const isOther = !path.startsWith("/api/v2/");
  const unknown = isOther ? " Check the path: most begin with /api/v2/." : " The node does not have this path.";
  const hint = isUnknownPath(result) ? unknown : advice;
  throw new ExitError(
    `GET ${path} failed with status ${response.status}: ${reason || "no reason given"}.${hint}`,
    undefined,
    code,
  );
}

/** An encoder of records of any form. Its columns are the members of the first records. */
function createAnyEncoder(io: Io, flags: flag.Flags, format: flag.FormatName | undefined) {
  const isText = ["table", "csv", "html", "svg"].includes(format ?? formatOf(flags.format, io));
  const wanted = readColumnNames(flags);
  const isFlat = isText || wanted !== undefined;
  const found = new Set<string>();
  let known: readonly string[] = [];
  let own: Encoder | undefined;
  function open(records: readonly WireRecord[]): string {
    known = [...new Set(records.flatMap((record) => Object.keys(record)))];
    // Later records can have a member of an object that the first ones lack.
    const objects = known.map(objectOf);
    const missing = records.length > 0 ? wanted?.find((name) => !objects.includes(objectOf(name))) : undefined;
    if (missing !== undefined)
      throw new UsageError(`There is no column ${missing || '""'}. The columns are ${known.join(", ")}.`);
    const kinds = (isFlat ? (wanted ?? known) : []).map((name) => [name, kindOf(name, records)]);
    own = createEncoder(io, flags, Object.fromEntries(kinds), format);
    return own.head;
  }
  return {
    head: "",
    encode(records: readonly WireRecord[]): string {
      if (records.length === 0) return "";
      const flat = isFlat ? records.map((record) => flatten(record, wanted)) : records;
      const head = own ? "" : open(flat);
      if (isFlat) for (const record of flat) for (const name in record) found.add(name);
      return head + own?.encode(flat);
    },
    end: (): string => (own ? "" : open([])) + (own?.end() ?? ""),
    notes(): string[] {
      if (found.size === 0) return [];
      const absent = wanted?.filter((name) => !found.has(name)) ?? [];
      const later = wanted ? [] : [...found].filter((name) => !known.includes(name));
      const advice = "Use --columns, or --format ndjson for all.";
      return [
        ...(later.length > 0 ? [`Warning: later records also have ${later.join(", ")}. ${advice}`] : []),
        ...(absent.length > 0 ? [`Warning: no record has ${absent.join(", ")}.`] : []),
      ];
    },
  };
}

/** The member of a record that a column is of, such as `details` for `details.symbol`. */
const objectOf = (column: string) => column.split(".")[0];

function kindOf(name: string, records: readonly WireRecord[]): ColumnKind {
  const values = records.map((record) => record[name]).filter((value) => value !== undefined && value !== null);
  const isNumber = values.length > 0 && values.every((value) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(String(value)));
  const isObject = values.length > 0 && values.every((value) => typeof value === "object");
  return isNumber ? "amount" : isObject ? "json" : "text";
}

/** A record with the members of its objects, by names such as `details.symbol`, and the objects that are wanted. */
function flatten(record: WireRecord, wanted: readonly string[] = [], prefix = ""): WireRecord {
  const members = Object.entries(record).flatMap(([name, value]): [string, unknown][] => {
    const path = prefix + name;
    const hasMembers =
      typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
    const own = hasMembers ? Object.entries(flatten(value as WireRecord, wanted, `${path}.`)) : [];
    return hasMembers && !wanted.includes(path) ? own : [[path, value], ...own];
  });
  return Object.fromEntries(members);
}

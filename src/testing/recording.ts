import { operations } from "../../generated/operations.js";
import { refuseArgument } from "./arguments.js";

/** A request and the response that a node gave to it. As JSON it is one line of a file. */
export interface Recording {
  readonly method: string;
  /** The path and the query as they were sent, without the address of the node. */
  readonly path: string;
  /** The text of the request's body. Default: it had none. */
  readonly requestBody?: string | undefined;
  readonly status: number;
  /** Those of the response, without what concerns its connection and its compression, and without cookies. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body of the response: its text, or base64 if it is no text. */
  readonly body: string;
  readonly encoding?: "base64" | undefined;
}

type Fetch = (request: Request) => Promise<Response>;

/** Headers of a connection, of a compression that `fetch` has undone, and those that are secrets. */
const leftOut = ["connection", "content-encoding", "content-length", "keep-alive", "set-cookie", "transfer-encoding"];

/**
 * Returns a `fetch` that passes requests on and reports each response, once it is complete. Pass it to `createClient`. The headers of
 * requests, which can be secrets, are not recorded.
 *
 * @param fetch - Sends the requests.
 * @param onRecording - Called with each request and its response. Requests without a response are not recorded.
 * @example
 * ```ts
 * const recordings: Recording[] = [];
 * const fetch = recordFetch(globalThis.fetch, (recording) => recordings.push(recording));
 * const client = createClient({ baseUrl: "https://node.example", fetch });
 * ```
 */
export function recordFetch(fetch: Fetch, onRecording: (recording: Recording) => unknown): Fetch {
  if (typeof fetch !== "function") refuseArgument("fetch", "a function", fetch);
  if (typeof onRecording !== "function") refuseArgument("onRecording", "a function", onRecording);
  return async (request) => {
    const requestBody = request.body ? await request.clone().text() : "";
    const response = await fetch(request);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { status } = response;
    const headers = [...response.headers].filter(([name]) => !leftOut.includes(name));
    await onRecording({
      method: request.method,
      path: pathOf(request.url),
      ...(requestBody !== "" && { requestBody }),
      status,
      headers,
      ...encode(bytes),
    });
    return toResponse(bytes, { status, headers }, request.url);
  };
}

/**
 * Returns a `fetch` that responds with what was recorded, byte for byte, without a network. The address of the node and the order of
 * parameters do not matter. A request that was recorded several times gets its responses in their order, and the last one again and
 * again. A request that was not recorded gets status 404 and an error that names the nearest one that was.
 *
 * @throws `ArgumentError` if there is no recording.
 * @example
 * ```ts
 * const recordings: Recording[] = [];
 * const recording = createClient({ baseUrl, fetch: recordFetch(globalThis.fetch, (each) => recordings.push(each)) });
 * await recording.listNodeSignatures({ id }).toArray();
 * const client = createClient({ baseUrl, fetch: replayFetch(recordings) });
 * const signatures = await client.listNodeSignatures({ id }).toArray();
 * ```
 */
export function replayFetch(recordings: readonly Recording[]): Fetch {
  if (!Array.isArray(recordings) || recordings.length === 0)
    refuseArgument("recordings", "an array of recordings", recordings);
  const known = new Map<string, { recordings: Recording[]; next: number }>();
  for (const recording of recordings) {
    const key = keyOf(recording);
    const entry = known.get(key) ?? { recordings: [], next: 0 };
    entry.recordings.push(recording);
    known.set(key, entry);
  }
  return async (request) => {
    request.signal.throwIfAborted();
    const { method, url } = request;
    const wanted = { method, path: pathOf(url), requestBody: await request.text() };
    const entry = known.get(keyOf(wanted));
    if (entry === undefined) return Response.json(unknown(wanted, recordings), { status: 404 });
    const recording = entry.recordings[Math.min(entry.next++, entry.recordings.length - 1)] as Recording;
    return toResponse(decode(recording), recording, url);
  };
}

type RecordedRequest = Pick<Recording, "method" | "path" | "requestBody">;

/** What the paths of the description begin with: what comes before is a prefix of the node's address. */
const beginnings = [...new Set(Object.values(operations).map(({ path }) => path.split("/").slice(0, 2).join("/")))];

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  const start = beginnings.map((beginning) => pathname.indexOf(`${beginning}/`)).filter((index) => index >= 0);
  return pathname.slice(start.length === 0 ? 0 : Math.min(...start)) + search;
}

/** The path, and the parameters in an order of their own. */
function read({ path }: RecordedRequest): { name: string; parameters: readonly string[] } {
  const [name = "", search = ""] = path.split(/\?(.*)/s);
  return { name, parameters: [...new URLSearchParams(search)].map(([key, value]) => `${key}=${value}`).sort() };
}

function keyOf(request: RecordedRequest): string {
  const { name, parameters } = read(request);
  return JSON.stringify([request.method, name, parameters, request.requestBody ?? ""]);
}

/** The error body of a request that was not recorded, in the form of a node's. */
function unknown(wanted: RecordedRequest, recordings: readonly Recording[]): object {
  const nearest = recordings.reduce((best, each) => (likeness(each, wanted) > likeness(best, wanted) ? each : best));
  const [own, other] = [read(wanted).parameters, read(nearest).parameters];
  const more = own.filter((each) => !other.includes(each));
  const less = other.filter((each) => !own.includes(each));
  const differences = [
    ...(more.length > 0 ? [`it does not have ${more.join(", ")}`] : []),
    ...(less.length > 0 ? [`it has ${less.join(", ")}`] : []),
    ...(nearest.requestBody !== (wanted.requestBody || undefined) ? ["its body is another one"] : []),
  ];
  const message =
    `${wanted.method} ${wanted.path} was not recorded. The nearest recorded request is ${nearest.method} ${nearest.path}` +
    `${differences.length > 0 ? `: ${differences.join("; ")}` : ""}.`;
  return { code: 5, message, details: [] };
}

/** How much a recorded request has in common with another one. */
function likeness(recorded: RecordedRequest, wanted: RecordedRequest): number {
  const [a, b] = [read(recorded), read(wanted)];
  const common = a.parameters.filter((each) => b.parameters.includes(each)).length;
  const names = (parameters: readonly string[]) => parameters.map((each) => each.split("=")[0]);
  const commonNames = names(a.parameters).filter((name) => names(b.parameters).includes(name)).length;
  const differing = Math.abs(a.parameters.length - b.parameters.length);
  const isSamePath = a.name === b.name && recorded.method === wanted.method;
  return (isSamePath ? 1000 : sharedStart(a.name, b.name)) + 10 * common + commonNames - differing;
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function encode(bytes: Uint8Array): Pick<Recording, "body" | "encoding"> {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { body: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")), encoding: "base64" };
  }
}

function decode({ body, encoding }: Recording): Uint8Array<ArrayBuffer> {
  if (encoding === undefined) return new TextEncoder().encode(body);
  return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
}

function toResponse(
  bytes: Uint8Array<ArrayBuffer>,
  { status, headers }: Pick<Recording, "status" | "headers">,
  url: string,
): Response {
  const hasBody = bytes.length > 0 && status !== 204 && status !== 205 && status !== 304;
  const init = { status, headers: headers.map(([name, value]) => [name, value] as [string, string]) };
  const response = new Response(hasBody ? bytes : null, init);
  // A response that is made has no address, and those of a node have one.
  return Object.defineProperty(response, "url", { value: url });
}

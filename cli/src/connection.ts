/** Connects to the nodes of a command: addresses, headers and proxies. */
import { isIPv6 } from "node:net";
import { ArgumentError, type ClientOptions, createClient, type ObserverEvent } from "vegaprotocol-client";
import { type NodePool, type NodePoolOptions, nodePool } from "vegaprotocol-client/pool";
import { withFlagNames } from "./arguments.js";
import { isNodeName, readConfig } from "./config.js";
import { causesOf, didYouMean, readInput, UsageError } from "./errors.js";
import type { Flags } from "./flags.js";
import { type Io, printMessage } from "./io.js";

interface ConnectOptions extends Pick<NodePoolOptions, "maxLag"> {
  /** Called with each event. Default: the events are printed with --verbose. */
  readonly observe?: ClientOptions["observe"];
  /** Called with each event as well. */
  readonly count?: ClientOptions["observe"];
}

export type Connection = Awaited<ReturnType<typeof connect>>;

export async function connect(
  io: Io,
  flags: Omit<Flags, "format">,
  { maxLag, observe: print = flags.verbose ? (event) => logEvent(io, event) : undefined, count }: ConnectOptions = {},
) {
  const nodes = await readNodes(io, flags);
  const pool = createPool(nodes, maxLag, flags.node === undefined);
  const { timeout, retries, pacing } = flags;
  const headers = await readHeaders(flags.header ?? []);
  const retry = retries === undefined ? undefined : retries > 0 && { attempts: retries + 1 };
  const observe = (event: ObserverEvent) => {
    count?.(event);
    print?.(event);
  };
  const fetch = io.fetch ?? (await createFetch(io.env));
  const options = { headers, pacing, timeout, retry, fetch, ...((count || print) && { observe }) };
  const clientWith = (baseUrl: NodePool) => createClient({ baseUrl, ...options });
  /** A client that reads from one of the nodes alone. */
  const clientOf = (node: string) => clientWith(nodePool([node]));
  return { client: clientWith(pool), pool, nodes, clientOf };
}

function createPool(nodes: readonly string[], maxLag: number | undefined, isFromEnvironment: boolean): NodePool {
  const address = nodes.find((node) => isIPv6(node));
  if (address !== undefined) {
    throw new UsageError(
      `Expected --node to have brackets around an IPv6 address, such as [::1]:8080, got "${address}".`,
    );
  }
  try {
    return nodePool(nodes, { maxLag });
  } catch (error) {
    if (!ArgumentError.is(error)) throw error;
    const text = error.message.replace(/, which .* `headers`/, '. Use --header "Authorization: Basic BASE64"');
    const message = withFlagNames(text, ["--node"]);
    if (!isFromEnvironment) throw new UsageError(message);
    throw new UsageError(`${message.replace("--node", "VEGA_NODE")} Separate addresses with spaces or commas.`);
  }
}

async function readNodes(io: Io, { node: entered = [] }: Pick<Flags, "node">): Promise<readonly string[]> {
  const { env } = io;
  const { nodes: named = {} } = await readConfig(io);
  const nodes = entered.length > 0 ? entered : (env["VEGA_NODE"] ?? "").split(/[\s,]+/).filter(Boolean);
  const names = Object.keys(named);
  const unknown = nodes.find((node) => !names.includes(node) && isNodeName(node));
  if (unknown !== undefined && names.length > 0) {
    const advice = didYouMean(unknown, names) || ` The known names are ${names.join(", ")}.`;
    throw new UsageError(`There is no node "${unknown}" in the configuration.${advice}`);
  }
  if (nodes.length > 0)
    return nodes.flatMap((node) => [named[node] ?? node].flat()).map((url) => withScheme(String(url)));
  throw new UsageError(
    "Expected --node URL, the address of a data node, or the environment variable VEGA_NODE. " +
      "`vegaprotocol fake-node` starts one to try commands with.",
  );
}

/** Reads `Name: value`, or `@FILE` with one of them on each line, which keeps secrets out of lists of processes. */
async function readHeaders(entered: readonly string[]): Promise<[string, string][]> {
  const lines = await Promise.all(
    entered.map(async (each) =>
      each.startsWith("@") ? (await readInput(each.slice(1), '--header "@headers.txt"')).split(/\r?\n/) : each,
    ),
  );
  return lines.flat().flatMap((line): [string, string][] => {
    if (line.trim() === "") return [];
    const [, name, value = ""] = /^([^:\s]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) return [[name, value]];
    // The value is not shown, because it may be a secret.
    throw new UsageError('Expected --header to be "Name: value" or "@FILE" with such lines.');
  });
}

export function logEvent(io: Io, event: ObserverEvent): void {
  const node = event.node === undefined ? "" : ` on ${event.node}`;
  printMessage(io, `${event.operation}, attempt ${event.attempt}${node}: ${describeEvent(event)}`);
}

function describeEvent(event: ObserverEvent): string {
  switch (event.type) {
    case "attempt":
      return `${event.method} ${event.url}`;
    case "response":
      return `${event.error?.message ?? `status ${event.status}`} after ${Math.round(event.duration)} ms`;
    case "retry":
      return `retried in ${Math.round(event.delay)} ms: ${event.error.message}`;
    case "pause":
      return `held back for ${Math.round(event.delay)} ms to stay within the rate limit`;
    case "failover":
      return `failed over from ${event.from} to ${event.to}: ${event.error?.message ?? event.cause}`;
    case "hedge":
      return `also sent to ${event.to} after ${Math.round(event.delay)} ms without a response from ${event.from}`;
  }
}

export type Fetch = (request: Request) => Promise<Response>;

/** Addresses of this machine and of private networks, which rarely have certificates. */
const privateHost =
  /^(?:localhost|.*\.(?:localhost|local|internal|lan)|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|\[(?:::1|f[cd]..:.*|fe[89ab].:.*)\])$/i;

/** The address of a node with a scheme: `http` for this machine and for private networks, `https` for a public host. */
export function withScheme(address: string): string {
  if (address.includes("://") || !URL.canParse(`http://${address}`)) return address;
  const { hostname } = new URL(`http://${address}`);
  // A word without a port is more likely a mistake than the name of a host, and so is a relative path.
  if (hostname.startsWith(".")) return address;
  const isName = /^[^.[]+$/.test(hostname) && hostname !== "localhost";
  if (isName && !/^[^/]+:\d/.test(address)) return address;
  return `${isName || privateHost.test(hostname) ? "http" : "https"}://${address}`;
}

/** A `fetch` that sends requests through the proxies of the environment. The `fetch` of Node.js 20 does not. */
export async function createFetch(env: Io["env"]): Promise<Fetch> {
  // The `fetch` of these runtimes reads the variables itself.
  if ("bun" in process.versions || "deno" in process.versions) return (request) => fetch(request);
  const { Agent, EnvHttpProxyAgent, fetch: send } = await import("undici");
  const [httpProxy, httpsProxy] = [proxyOf(env, "http_proxy"), proxyOf(env, "https_proxy")];
  // The client has deadlines of its own.
  const options = { headersTimeout: 0, bodyTimeout: 0 };
  const noProxy = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  // Proxies often refuse tunnels to other ports than 443.
  const proxied = new EnvHttpProxyAgent({ ...options, httpProxy, httpsProxy, noProxy, proxyTunnel: false });
  // undici would send requests over TLS through the proxy of plain ones.
  const secure = httpsProxy === "" ? new Agent(options) : proxied;
  const proxies = [httpProxy, httpsProxy].filter(Boolean).map((proxy) => new URL(proxy));
  return async (request) => {
    const { url, method, redirect, signal } = request;
    const init = { method, redirect, signal, headers: [...request.headers] };
    const body = request.body ? { body: await request.arrayBuffer() } : {};
    const dispatcher = url.startsWith("https:") ? secure : proxied;
    const response = await send(url, { ...init, ...body, dispatcher }).catch((error: Error) => {
      throw explainFailure(error, url, proxies);
    });
    return response as object as Response;
  };
}

/** The proxy of a variable of the environment; empty if there is none. Lower case comes first, as with curl. */
function proxyOf(env: Io["env"], name: string): string {
  const upper = name.toUpperCase();
  const value = env[name] || env[upper] || "";
  if (value === "") return "";
  const address = value.includes("://") ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  // The value is not shown, because it may contain a password.
  const used = env[name] ? name : upper;
  throw new UsageError(`Expected ${used} to be the address of an HTTP proxy, such as http://proxy.example:3128.`);
}

/** A URL has no port if it is the default one of its scheme. */
const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

/** Replaces an error that users cannot act on by one with advice. The client shows all causes: it has none. */
export function explainFailure(error: Error, url: string, proxies: readonly URL[]): Error {
  const causes = causesOf(error);
  const { protocol, host, port } = new URL(url);
  const isPlainPort = causes.some(({ code = "", message }) => /EPROTO|wrong version number/.test(code + message));
  if (protocol === "https:" && isPlainPort) return new Error(`${host} does not use TLS: try http://${host}`);
  const isBlocked = causes.some(({ message }) => message === "bad port");
  if (isBlocked) return new Error(`fetch blocks port ${port}: use another port`);
  const refused = causes.find(({ code, port }) => code === "ECONNREFUSED" && port !== undefined);
  const proxy = proxies.find((each) => portOf(each) === String(refused?.port) && each.host !== host);
  if (proxy) return new Error(`The proxy ${proxy.origin} does not respond: ${refused?.message}`);
  const [status] = causes.flatMap(({ message }) => /^Proxy response \((\d+)\)/.exec(message)?.[1] ?? []);
  if (status !== undefined) return new Error(`The proxy refused ${host} with status ${status}.`);
  if (refused) return new Error(`${refused.message}: check the address, and that the node runs`);
  const untrusted = causes.find(({ code = "" }) => /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(code));
  if (untrusted) return new Error(`${untrusted.message}: to trust it, set NODE_EXTRA_CA_CERTS to its PEM file`);
  const unknown = causes.find(({ code }) => code === "ENOTFOUND" || code === "EAI_AGAIN");
  return unknown ? new Error(`${unknown.message}: check the address`) : error;
}

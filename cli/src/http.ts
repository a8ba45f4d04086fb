import { causesOf, UsageError } from "./errors.js";

type Environment = Readonly<Record<string, string | undefined>>;
export type Fetch = (request: Request) => Promise<Response>;

/** Addresses of this machine and of private networks, which rarely have certificates. */
const privateHost =
  /^(?:localhost|.*\.(?:localhost|local|internal|lan)|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|\[.*\])$/i;

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
export async function createFetch(env: Environment): Promise<Fetch> {
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
      throw explain(error, url, proxies);
    });
    return response as object as Response;
  };
}

/** The proxy of a variable of the environment; empty if there is none. Lower case comes first, as with curl. */
function proxyOf(env: Environment, name: string): string {
  const upper = name.toUpperCase();
  const value = env[name] || env[upper] || "";
  if (value === "") return "";
  const address = value.includes("://") ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  // The value is not shown, because it may contain a password.
  const used = env[name] ? name : upper;
  throw new UsageError(`Expected ${used} to be the address of an HTTP proxy, such as http://proxy.example:3128.`);
}

/** Replaces an error that users cannot act on by one with advice. The client shows all causes: it has none. */
function explain(error: Error, url: string, proxies: readonly URL[]): Error {
  const causes = causesOf(error);
  const { protocol, host } = new URL(url);
  const isPlainPort = causes.some(({ code = "", message }) => /EPROTO|wrong version number/.test(code + message));
  if (protocol === "https:" && isPlainPort) return new Error(`${host} does not use TLS: try http://${host}`);
  const refused = causes.find(({ code, port }) => code === "ECONNREFUSED" && port !== undefined);
  const proxy = proxies.find((each) => each.port === String(refused?.port) && each.host !== host);
  if (proxy) return new Error(`The proxy ${proxy.origin} does not respond: ${refused?.message}`);
  const [status] = causes.flatMap(({ message }) => /^Proxy response \((\d+)\)/.exec(message)?.[1] ?? []);
  if (status !== undefined) return new Error(`The proxy refused ${host} with status ${status}.`);
  if (refused) return new Error(`${refused.message}: check the address, and that the node runs`);
  const unknown = causes.find(({ code }) => code === "ENOTFOUND" || code === "EAI_AGAIN");
  return unknown ? new Error(`${unknown.message}: check the address`) : error;
}

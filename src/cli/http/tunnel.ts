import http from "node:http";
import https from "node:https";
import tls from "node:tls";

/** Certificates of authorities in addition to those of the system. */
export type Authorities = readonly string[] | undefined;

export const describeProxy = ({ protocol, host }: URL): string => `${protocol}//${host}`;

/** The header with the user and the password of the address of a proxy. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  return { "Proxy-Authorization": `Basic ${credentials}` };
}

/** The agent of requests over TLS, through a proxy if there is one. */
export function createTlsAgent(proxy: URL | undefined, ca: Authorities): https.Agent {
  const agent = new https.Agent({ keepAlive: true, ...(ca && { ca: [...ca] }) });
  if (proxy === undefined) return agent;
  const connect = (options: tls.ConnectionOptions, done: (error: Error | null, socket?: tls.TLSSocket) => void) => {
    openTunnel(proxy, ca, options).then(
      (socket) => done(null, tls.connect({ ...options, socket })),
      (error) => done(error),
    );
  };
  return Object.assign(agent, { createConnection: connect });
}

/** Asks a proxy to connect to a host. */
function openTunnel(proxy: URL, ca: Authorities, { host, port }: tls.ConnectionOptions) {
  const target = `${host?.includes(":") ? `[${host}]` : host}:${port}`;
  const { request } = proxy.protocol === "https:" ? https : http;
  return new Promise<tls.ConnectionOptions["socket"]>((resolve, reject) => {
    const connection = request({
      method: "CONNECT",
      hostname: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      path: target,
      headers: { Host: target, ...proxyHeaders(proxy) },
      agent: false,
      ...(ca && { ca: [...ca] }),
    });
    connection.once("error", (error) =>
      reject(new Error(`The proxy ${describeProxy(proxy)} does not respond: ${error.message}`, { cause: error })),
    );
    connection.once("connect", ({ statusCode, statusMessage }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`The proxy ${describeProxy(proxy)} refused ${target}: ${statusCode} ${statusMessage}`));
    });
    connection.end();
  });
}

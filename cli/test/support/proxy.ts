import { once } from "node:events";
import http from "node:http";
import { type AddressInfo, connect, type Server } from "node:net";
import { pipeline } from "node:stream";
import { afterAll } from "vitest";

/** Listens on a free port until the end of the test file, and returns the port. */
export async function listening(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  afterAll(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy for plain and for secure addresses, and its log of requests with credentials, which it does not pass on. */
export function createProxy() {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"]}`);
    const { "proxy-authorization": _, ...headers } = request.headers;
    request.pipe(
      http.request(request.url ?? "", { headers, agent: false }, (reply) => {
        response.writeHead(reply.statusCode ?? 0, reply.headers);
        reply.pipe(response);
      }),
    );
  });
  server.on("connect", ({ url = "", headers }, socket) => {
    asked.push(`CONNECT ${url} ${headers["proxy-authorization"]}`);
    const target = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      pipeline(target, socket, target, () => {});
    });
  });
  return { server, asked };
}

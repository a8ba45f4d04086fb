import { createServer, type Server } from "node:net";

/**
 * The first of some ports in a row that no one listens on. They are below those that systems give to connections, so that another process
 * seldom takes one meanwhile. `fetch` refuses port 10080.
 */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    const port = 11_000 + Math.floor(Math.random() * 19_000);
    const ports = Array.from({ length: count }, (_, index) => port + index);
    const servers = await Promise.all(ports.map(tryListen));
    await Promise.all(servers.map((server) => server && new Promise((resolve) => server.close(resolve))));
    if (servers.every((server) => server !== undefined)) return port;
  }
}

const tryListen = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });

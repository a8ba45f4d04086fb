import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Opens a connection, and sends the head of a request, with a Host if it has none. */
export function open(url: string, ...head: readonly string[]): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  const host = head.some((line) => line.startsWith("Host: ")) ? [] : ["Host: a"];
  socket.write([...head, ...host, "", ""].join("\r\n"));
  return socket;
}

/** The first line of a response, of which the rest is not read. */
export async function firstLine(socket: Socket): Promise<string | undefined> {
  const [data] = await once(socket, "data");
  socket.pause();
  return String(data).split("\r\n")[0];
}

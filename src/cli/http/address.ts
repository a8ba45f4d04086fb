import { isIP } from "node:net";

/** Addresses of this machine and of private networks, which rarely have certificates. */
const privateHost =
  /^(?:localhost|.*\.(?:localhost|local|internal|lan)|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|\[.*\])$/i;

/** The address of a node with a scheme: `http` for this machine and for private networks, `https` for a public host. */
export function withScheme(address: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(address)) return address;
  const [, host = "", port] = /^(\[[^\]]*\]|[^:/?#]+)(:\d+)?(?:[/?#]|$)/.exec(address) ?? [];
  // A word without a port is more likely a mistake than the name of a host.
  const isName = host !== "" && !host.includes(".") && !host.startsWith("[") && host !== "localhost";
  if (host === "" || (isName && port === undefined) || (isIP(host) === 0 && !/^[\w.[\]:-]+$/.test(host)))
    return address;
  return `${privateHost.test(host) || isName ? "http" : "https"}://${address}`;
}

import { UsageError } from "../exit.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for requests to an address, as the variables of the environment say; `undefined` if there is none.
 *
 * @throws {@link UsageError} if the proxy is not one of HTTP.
 */
export function proxyFor(address: URL, env: Environment): URL | undefined {
  // Programs that a web server starts get `HTTP_PROXY` from a header of the request.
  const names = address.protocol === "https:" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"];
  const name = names.find((each) => env[each]);
  const value = name === undefined ? undefined : env[name];
  if (name === undefined || value === undefined || isExcluded(address, env["no_proxy"] ?? env["NO_PROXY"] ?? "")) {
    return undefined;
  }
  try {
    const proxy = new URL(value.includes("://") ? value : `http://${value}`);
    if (proxy.protocol === "http:" || proxy.protocol === "https:") return proxy;
  } catch {
    // The same error as for another protocol.
  }
  // The value is not shown, because it may contain a password.
  throw new UsageError(`Expected ${name} to be the address of an HTTP proxy, as in http://proxy.example:3128.`);
}

/** Whether `NO_PROXY` names a host: as itself, as a domain of which it is a part, or with its port. */
function isExcluded({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === "https:" ? "443" : "80");
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = entry, entryPort = ownPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
      const domain = name.replace(/^\[|\]$/g, "").replace(/^\*?\./, "");
      return entryPort === ownPort && (host === domain || host.endsWith(`.${domain}`));
    });
}

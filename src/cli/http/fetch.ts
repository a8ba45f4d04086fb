import { readFile } from "node:fs/promises";
import type { CommandContext } from "../command.js";
import { UsageError } from "../exit.js";
import { proxyFor } from "./proxy.js";
import { withRedirects } from "./redirects.js";

type Fetch = (request: Request) => Promise<Response>;

/**
 * The `fetch` of a command: through the proxies of the environment, with the certificates of `--ca-file`, and with headers that stay
 * with the origin of the node.
 *
 * @param headers - Those of `--header`.
 */
export async function createFetch(
  { io, values }: CommandContext,
  headers: readonly [string, string][],
): Promise<Fetch> {
  const ca = await readAuthorities(values.text("ca-file"), io.env["NODE_EXTRA_CA_CERTS"]);
  const clients = new Map<string, Promise<Fetch>>();
  const own: Fetch = async (request) => {
    const proxy = hasOwnProxies ? undefined : proxyFor(new URL(request.url), io.env);
    const key = String(proxy);
    const client =
      clients.get(key) ?? import("./node-fetch.js").then(({ createNodeFetch }) => createNodeFetch(proxy, ca));
    clients.set(key, client);
    return (await client)(request);
  };
  const isGlobalEnough = hasOwnProxies && ca === undefined;
  const send = io.fetch ?? (isGlobalEnough ? (request: Request) => globalThis.fetch(request) : own);
  const names = [...headers.map(([name]) => name), "authorization", "cookie"];
  return withRedirects(send, names);
}

/** The fetch of these runtimes reads the variables itself. */
const hasOwnProxies = "bun" in process.versions || "deno" in process.versions;

/** The certificates of a file, in addition to those that Node.js has and those of its variable. */
async function readAuthorities(file: string | undefined, extra = ""): Promise<string[] | undefined> {
  if (file === undefined) return undefined;
  const certificates = certificatesIn(await readFile(file, "utf8"));
  if (certificates.length === 0) {
    throw new UsageError(`Expected --ca-file to be a file of PEM certificates, got ${file}.`);
  }
  const { rootCertificates } = await import("node:tls");
  const others = extra === "" ? [] : certificatesIn(await readFile(extra, "utf8").catch(() => ""));
  return [...rootCertificates, ...others, ...certificates];
}

const certificatesIn = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

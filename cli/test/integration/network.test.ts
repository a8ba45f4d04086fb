import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { createFakeNode } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { finish, start } from "../support/cli-process.js";
import { runCli } from "../support/run-cli.js";

const run = promisify(execFile);
const node = createFakeNode({ profiles: 7 }, { rateLimit: false });

let folder: string;
let plain: Awaited<ReturnType<typeof listen>>;
let secure: https.Server;
let proxy: http.Server;
let cut = false;
/** What the proxy was asked for. */
let asked: string[] = [];
const portOf = (server: http.Server | https.Server) => (server.address() as AddressInfo).port;
const listening = (server: http.Server | https.Server) =>
  new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const secureUrl = () => `https://localhost:${portOf(secure)}`;
const proxyUrl = () => `http://user:p%40ss@127.0.0.1:${portOf(proxy)}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "network-"));
  await run(
    "openssl",
    [
      ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost".split(" "),
      ..."-addext subjectAltName=DNS:localhost -keyout key.pem -out ca.pem".split(" "),
    ],
    { cwd: folder },
  );
  plain = await listen(node);
  const [key, cert] = await Promise.all(["key.pem", "ca.pem"].map((name) => readFile(join(folder, name))));
  secure = https.createServer({ key, cert }, async ({ url }, response) => {
    const { status, headers, body } = await node
      .fetch(new Request(`https://node.example${url}`))
      .then(async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        body: gzipSync(await answer.text()),
      }));
    response.writeHead(status, {
      ...Object.fromEntries(headers),
      "content-encoding": "gzip",
      "content-length": body.length,
    });
    if (cut) response.write(body.subarray(0, 20), () => response.destroy());
    else response.end(body);
  });
  proxy = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"]}`);
    const { "proxy-authorization": _, ...headers } = request.headers;
    request.pipe(
      http.request(request.url ?? "", { headers, agent: false }, (reply) => {
        response.writeHead(reply.statusCode ?? 0, reply.headers);
        reply.pipe(response);
      }),
    );
  });
  proxy.on("connect", ({ url = "", headers }, socket, head) => {
    asked.push(`CONNECT ${url} ${headers["proxy-authorization"]}`);
    const [, port] = url.split(":");
    const target = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    for (const each of [target, socket]) each.on("error", () => {});
  });
  await Promise.all([listening(secure), listening(proxy)]);
});
afterAll(async () => {
  await plain.close();
  for (const server of [secure, proxy]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  asked = [];
  cut = false;
});

const profiles = (flags: readonly string[], env: Record<string, string> = {}) =>
  runCli(["profiles", "--retries", "0", ...flags], { env: { VEGAPROTOCOL_NODE: undefined, ...env } });
const lines = (text: string) => text.trimEnd().split("\n").length;
const basic = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
/** Runs the built program, which trusts the certificate: Node.js reads the variable when it starts. */
const trusting = (flags: readonly string[], env: Record<string, string> = {}) =>
  finish(start(["profiles", "--retries", "0", ...flags], { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"), ...env }));

describe("a proxy of the environment", () => {
  test("gets the requests of plain addresses, with its credentials, which the node does not get", async () => {
    node.requests.length = 0;
    const { code, stdout, stderr } = await profiles(["--node", plain.url], { HTTP_PROXY: proxyUrl() });
    expect({ code, stderr, records: lines(stdout) }).toEqual({ code: 0, stderr: "", records: 7 });
    expect(asked).toEqual([
      expect.stringMatching(new RegExp(`^GET ${plain.url}/api/v2/parties/profiles\\S* ${basic}$`)),
    ]);
    expect(node.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  test("connects to addresses over TLS, of which it sees the host alone", async () => {
    const { code, stdout, stderr } = await trusting(["--node", secureUrl()], { HTTPS_PROXY: proxyUrl() });
    expect({ code, stderr, records: lines(stdout) }).toEqual({ code: 0, stderr: "", records: 7 });
    expect(asked).toEqual([`CONNECT localhost:${portOf(secure)} ${basic}`]);
  });

  test("is left out for the hosts of NO_PROXY", async () => {
    const env = { HTTP_PROXY: proxyUrl(), HTTPS_PROXY: proxyUrl(), NO_PROXY: "127.0.0.1,localhost" };
    expect(await profiles(["--node", plain.url], env)).toMatchObject({ code: 0 });
    expect(await trusting(["--node", secureUrl()], env)).toMatchObject({ code: 0 });
    expect(asked).toEqual([]);
  });

  test("that does not respond is named in the error, without its password", async () => {
    const server = http.createServer();
    await listening(server);
    const port = portOf(server);
    await new Promise((resolve) => server.close(resolve));
    const env = {
      HTTP_PROXY: `http://user:secret@127.0.0.1:${port}`,
      HTTPS_PROXY: `http://user:secret@127.0.0.1:${port}`,
    };
    for (const url of [plain.url, secureUrl()]) {
      const { code, stderr } = await profiles(["--node", url], env);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`The proxy http://127.0.0.1:${port} does not respond: connect ECONNREFUSED`),
      });
      expect(stderr).not.toContain("secret");
    }
  });
});

test("an address of https whose port has no TLS is an error that names the one of http", async () => {
  const { host } = new URL(plain.url);
  const { code, stderr } = await profiles(["--node", `https://${host}`]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`try http://${host}\n`) });
});

describe("certificates", () => {
  test("of NODE_EXTRA_CA_CERTS are trusted, and others are not", async () => {
    expect(await trusting(["--node", secureUrl()])).toMatchObject({ code: 0 });
    const { code, stderr } = await profiles(["--node", secureUrl()]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("self-signed certificate") });
  });
});

test("a redirect to another origin is not followed", async () => {
  const received: (string | undefined)[] = [];
  const other = http.createServer(async (request, response) => {
    received.push(request.headers["x-key"] as string | undefined);
    const reply = await node.fetch(new Request(`https://node.example${request.url}`));
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  });
  await listening(other);
  const first = http.createServer((request, response) => {
    received.push(request.headers["x-key"] as string | undefined);
    response.writeHead(307, { location: `http://127.0.0.1:${portOf(other)}${request.url}` }).end();
  });
  await listening(first);
  const { code, stderr } = await profiles(["--node", `http://127.0.0.1:${portOf(first)}`, "--header", "X-Key: secret"]);
  for (const server of [first, other]) server.close();
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^Error: .* It redirects to .*, which is not followed\. .* in --node\.\n$/),
  });
  expect(received).toEqual(["secret"]);
});

test("VEGA_NODE comes before VEGAPROTOCOL_NODE, and neither needs a scheme", async () => {
  const { host } = new URL(plain.url);
  expect(await profiles([], { VEGA_NODE: host, VEGAPROTOCOL_NODE: "https://unused.example" })).toMatchObject({
    code: 0,
  });
  expect(await profiles([], { VEGA_NODE: "", VEGAPROTOCOL_NODE: host })).toMatchObject({ code: 0 });
});

test.each([
  ["balances --timeout 9999999m", "--timeout"],
  ["balances --party a,b --node ftp://x", "--node"],
])("an error names flags: %s", async (line, flag) => {
  const { code, stderr } = await runCli(line.split(" "), { fetch: node.fetch });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`Expected ${flag} to be `) });
  expect(stderr).not.toContain("`");
});

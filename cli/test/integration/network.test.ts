import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { gzipSync } from "node:zlib";
import { createFakeNode } from "vegaprotocol-client/testing";
import { listen } from "vegaprotocol-client/testing/node";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { folderOfFile } from "../../../test/support/folder.js";
import { freePort } from "../../../test/support/free-port.js";
import { finish, start } from "../support/cli-process.js";
import { createProxy, listening } from "../support/proxy.js";
import { ended, runCli } from "../support/run-cli.js";

const path = await folderOfFile();
const certificate = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost";
const output = "-addext subjectAltName=DNS:localhost -keyout key.pem -out ca.pem";
execFileSync("openssl", `${certificate} ${output}`.split(" "), { cwd: path(), stdio: "ignore" });
const [key, cert] = ["key.pem", "ca.pem"].map((name) => readFileSync(path(name)));

/** A node over HTTP, and over TLS with compressed responses. */
const node = createFakeNode({ profiles: 7 }, { rateLimit: false });
const plain = await listen(node);
afterAll(() => plain.close());
const secure = https.createServer({ key, cert }, async ({ url }, response) => {
  const { status, headers, body } = await node.fetch(new Request(`https://node.example${url}`));
  const content = gzipSync(await new Response(body).text());
  const encoding = { "content-encoding": "gzip", "content-length": content.length };
  response.writeHead(status, { ...Object.fromEntries(headers), ...encoding }).end(content);
});
const secureUrl = `https://localhost:${await listening(secure)}`;
const { server, asked } = createProxy();
const proxyUrl = `http://user:p%40ss@127.0.0.1:${await listening(server)}`;
beforeEach(() => {
  asked.length = 0;
});

const profiles = (flags: readonly string[], env: Record<string, string> = {}) =>
  runCli(["profiles", "--retries", "0", ...flags], { env: { VEGA_NODE: undefined, ...env } });
const all = { code: 0, stderr: "", stdout: expect.stringMatching(/^(.*\n){7}$/) };
const basic = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
/** Runs the built program, which trusts the certificate: Node.js reads the variable when it starts. */
const trusting = (flags: readonly string[], env: Record<string, string> = {}) =>
  finish(start(["profiles", "--retries", "0", ...flags], { NODE_EXTRA_CA_CERTS: path("ca.pem"), ...env }));

describe("a proxy of the environment", () => {
  test("gets the requests of plain addresses, with its credentials, which the node does not get", async () => {
    node.requests.length = 0;
    expect(await profiles(["--node", plain.url], { HTTP_PROXY: proxyUrl })).toEqual(all);
    const request = new RegExp(`^GET ${plain.url}/api/v2/parties/profiles\\S* ${basic}$`);
    expect(asked).toEqual([expect.stringMatching(request)]);
    expect(node.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  test("connects to addresses over TLS, of which it sees the host alone", async () => {
    expect(await trusting(["--node", secureUrl], { HTTPS_PROXY: proxyUrl })).toMatchObject(all);
    expect(asked).toEqual([`CONNECT ${new URL(secureUrl).host} ${basic}`]);
  });

  test("is left out for the hosts of NO_PROXY", async () => {
    const env = { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, NO_PROXY: "127.0.0.1,localhost" };
    expect(await profiles(["--node", plain.url], env)).toEqual(all);
    expect(await trusting(["--node", secureUrl], env)).toMatchObject(all);
    expect(asked).toEqual([]);
  });

  test("that does not respond is named in the error, without its password", async () => {
    const host = `127.0.0.1:${await freePort()}`;
    const env = { HTTP_PROXY: `http://user:secret@${host}`, HTTPS_PROXY: `http://user:secret@${host}` };
    for (const url of [plain.url, secureUrl]) {
      const result = await profiles(["--node", url], env);
      expect(result).toMatchObject(ended(1, `The proxy http://${host} does not respond: connect ECONNREFUSED`));
      expect(result.stderr).not.toContain("secret");
    }
  });

  test("that refuses a host is an error with its status", async () => {
    const refusing = http.createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    const env = { HTTPS_PROXY: `http://127.0.0.1:${await listening(refusing)}` };
    const refused = ended(1, `: The proxy refused ${new URL(secureUrl).host} with status 403.\n`);
    expect(await profiles(["--node", secureUrl], env)).toMatchObject(refused);
  });
});

test("an address of https whose port has no TLS is an error that names the one of http", async () => {
  const { host } = new URL(plain.url);
  expect(await profiles(["--node", `https://${host}`])).toMatchObject(ended(1, `try http://${host}\n`));
});

test("an address at which nothing listens is an error with advice", async () => {
  const host = `127.0.0.1:${await freePort()}`;
  const refused = ended(1, `connect ECONNREFUSED ${host}: check the address, and that the node runs\n`);
  expect(await profiles(["--node", host])).toMatchObject(refused);
  const unknown = ended(1, "node.invalid: check the address\n");
  expect(await profiles(["--node", "https://node.invalid"])).toMatchObject(unknown);
  const blocked = ended(1, ": fetch blocks port 6000: use another port\n");
  expect(await profiles(["--node", "localhost:6000"])).toMatchObject(blocked);
});

test("certificates of NODE_EXTRA_CA_CERTS are trusted, and others are not", async () => {
  expect(await trusting(["--node", secureUrl])).toMatchObject(all);
  expect(await profiles(["--node", secureUrl])).toMatchObject(
    ended(1, ": self-signed certificate: to trust it, set NODE_EXTRA_CA_CERTS to its PEM file\n"),
  );
});

test("a redirect to another origin is not followed", async () => {
  const received: (string | string[] | undefined)[] = [];
  const redirecting = http.createServer((request, response) => {
    received.push(request.headers["x-key"]);
    response.writeHead(307, { location: `${plain.url}${request.url}` }).end();
  });
  const url = `http://127.0.0.1:${await listening(redirecting)}`;
  node.requests.length = 0;
  const stderr = expect.stringMatching(/^Error: .* It redirects to .*, which is not followed\. .* in --node\.\n$/);
  expect(await profiles(["--node", url, "--header", "X-Key: secret"])).toMatchObject({ code: 1, stderr });
  expect([received, node.requests]).toEqual([["secret"], []]);
});

test("VEGA_NODE needs no scheme", async () => {
  expect(await profiles([], { VEGA_NODE: new URL(plain.url).host })).toEqual(all);
});

import { describe, expect, test } from "vitest";
import { withScheme } from "../../../src/cli/http/address.js";
import { proxyFor } from "../../../src/cli/http/proxy.js";
import { withRedirects } from "../../../src/cli/http/redirects.js";

describe("the address of a node without a scheme", () => {
  test.each([
    ["localhost", "http://localhost"],
    ["localhost:8080", "http://localhost:8080"],
    ["127.0.0.1:3008/api/v2", "http://127.0.0.1:3008/api/v2"],
    ["[::1]:3008", "http://[::1]:3008"],
    ["10.1.2.3", "http://10.1.2.3"],
    ["172.20.0.5:80", "http://172.20.0.5:80"],
    ["node:3008", "http://node:3008"],
    ["vega.internal", "http://vega.internal"],
    ["api.vega.example", "https://api.vega.example"],
    ["api.vega.example:8443/x", "https://api.vega.example:8443/x"],
    ["8.8.8.8", "https://8.8.8.8"],
    ["https://x.example", "https://x.example"],
    ["ftp://x", "ftp://x"],
    ["word", "word"],
    ["", ""],
    ["two words.example", "two words.example"],
  ])("%s is %s", (address, expected) => {
    expect(withScheme(address)).toBe(expected);
  });
});

describe("the proxy for an address", () => {
  const proxy = "http://proxy.example:3128";
  const of = (address: string, env: Record<string, string>) => proxyFor(new URL(address), env)?.href;

  test("is that of the variable of its scheme, in lower or upper case", () => {
    expect(of("https://a.example", { HTTPS_PROXY: proxy })).toBe(`${proxy}/`);
    expect(of("https://a.example", { https_proxy: proxy, HTTPS_PROXY: "http://other" })).toBe(`${proxy}/`);
    expect(of("https://a.example", { HTTP_PROXY: proxy })).toBeUndefined();
    expect(of("http://a.example", { HTTP_PROXY: "proxy.example:3128" })).toBe(`${proxy}/`);
    expect(of("http://a.example", { HTTPS_PROXY: proxy, HTTP_PROXY: "" })).toBeUndefined();
  });

  test.each([
    ["a.example", "http://a.example"],
    ["example", "http://a.example"],
    [".example", "http://a.example"],
    ["*.example", "http://a.example"],
    ["x.example, A.EXAMPLE", "http://a.example"],
    ["*", "http://a.example"],
    ["a.example:8080", "http://a.example:8080"],
    ["a.example:80", "http://a.example"],
    ["127.0.0.1", "http://127.0.0.1:3008"],
    ["::1", "http://[::1]:3008"],
    ["[::1]:3008", "http://[::1]:3008"],
  ])("is none with NO_PROXY=%s for %s", (list, address) => {
    expect(of(address, { HTTP_PROXY: proxy, NO_PROXY: list })).toBeUndefined();
  });

  test.each([
    ["b.example", "http://a.example"],
    ["a.example:8080", "http://a.example"],
    ["ample", "http://a.example"],
    ["a.example.org", "http://a.example"],
    ["", "http://a.example"],
  ])("is used with NO_PROXY=%s for %s", (list, address) => {
    expect(of(address, { HTTP_PROXY: proxy, NO_PROXY: list })).toBe(`${proxy}/`);
  });

  test("is refused without its value if it is none of HTTP", () => {
    for (const value of ["socks5://user:secret@x", "http://:"]) {
      expect(() => of("http://a.example", { http_proxy: value })).toThrow(
        "Expected http_proxy to be the address of an HTTP proxy, as in http://proxy.example:3128.",
      );
    }
  });
});

describe("a redirect", () => {
  /** Follows redirects from an address to others. */
  async function follow(locations: readonly string[], init: RequestInit = {}) {
    const requests: Request[] = [];
    const fetch = withRedirects(
      async (request) => {
        requests.push(request);
        const location = locations[requests.length - 1];
        return new Response("", location === undefined ? {} : { status: 302, headers: { location } });
      },
      ["x-key", "authorization"],
    );
    const headers = { "X-Key": "secret", Authorization: "secret", Accept: "application/json" };
    const response = await fetch(new Request("https://a.example/api", { headers, ...init }));
    return { requests, response };
  }

  test("to another origin does not get the headers of the user, and neither does the next one", async () => {
    const { requests } = await follow(["/b", "https://b.example/c", "https://a.example/d"]);
    expect(
      requests.map(({ url, headers }) => [
        url,
        headers.get("x-key"),
        headers.get("authorization"),
        headers.get("accept"),
      ]),
    ).toEqual([
      ["https://a.example/api", "secret", "secret", "application/json"],
      ["https://a.example/b", "secret", "secret", "application/json"],
      ["https://b.example/c", null, null, "application/json"],
      ["https://a.example/d", null, null, "application/json"],
    ]);
  });

  test("to another scheme or port is one to another origin", async () => {
    for (const location of ["http://a.example/", "https://a.example:8443/"]) {
      expect((await follow([location])).requests[1]?.headers.get("x-key")).toBeNull();
    }
  });

  test("is not followed for a request that is sent once, and not forever", async () => {
    const { requests, response } = await follow(["/b"], { method: "POST" });
    expect([requests.length, response.status]).toEqual([1, 302]);
    await expect(follow(Array(30).fill("/b"))).rejects.toThrow("More than 20 redirects");
  });
});

import { createFakeNode } from "vegaprotocol-client/testing";
import { describe, expect, test } from "vitest";
import { interruption, runCli } from "../support/run-cli.js";

const command = ["follow", "balances", "--from", "start", "--poll-interval", "5ms", "--retries", "0"];
const codeError = (code: string, message: string) =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(message), { code }) });
const failWith = (error: Error) => async () => Promise.reject(error);
/** A clock of which each look takes some milliseconds. */
const clock = (step: number) => {
  let now = 0;
  return () => (now += step);
};

describe("a follower whose node does not respond", () => {
  test("ends at once with 1 if it has never responded: its name or its certificate may be wrong", async () => {
    const result = await runCli(command, {
      fetch: failWith(codeError("ENOTFOUND", "getaddrinfo ENOTFOUND x.example")),
    });
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toMatch(
      /^Error: listBalanceChanges received no response .*getaddrinfo ENOTFOUND x.example\n$/,
    );
  });

  test("retries for --give-up-after, says so once, and then ends with 1", async () => {
    let requests = 0;
    const growing = createFakeNode({ balances: 50 }, { rateLimit: false });
    const { code, stderr } = await runCli([...command, "--give-up-after", "30m"], {
      now: clock(600_000),
      fetch: async (request) => {
        if (++requests < 3) return growing.fetch(request);
        if (requests === 4) return new Response("", { status: 503 });
        throw codeError("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:9");
      },
    });
    expect(code).toBe(1);
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^listBalanceChanges received no response .*ECONNREFUSED.*\. Retrying for 30m\.$/),
      expect.stringMatching(/^Error: listBalanceChanges received no response .*ECONNREFUSED/),
      expect.stringMatching(/^To continue, repeat the command with --from \d+\.$/),
    ]);
  });

  test("says when the node responds again, and prints neither with --quiet", async () => {
    for (const flags of [[], ["--quiet"]]) {
      let requests = 0;
      const growing = createFakeNode({ balances: 50 }, { rateLimit: false });
      const { code, stdout, stderr } = await runCli([...command, "--limit", "90", ...flags], {
        fetch: async (request) => {
          growing.nextBlock({ balances: 10 });
          if (++requests === 3) throw codeError("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:9");
          return growing.fetch(request);
        },
      });
      expect({ code, lines: stdout.trimEnd().split("\n").length }).toEqual({ code: 0, lines: 90 });
      expect(stderr).toMatch(
        flags.length > 0
          ? /^$/
          : /^listBalanceChanges received no response .*\. Retrying for 10m\.\nThe node responds again after \d+s\.\n$/,
      );
    }
  });

  test("ends with 5 if it is banned for longer than --give-up-after", async () => {
    const limited = createFakeNode({ balances: 5 }, { rateLimit: { rate: 1, burst: 1, refusals: 1, ban: 600 } });
    for (let request = 0; request < 4; request++) await limited.fetch(new Request("https://node.example/api/v2/votes"));
    const { code, stderr } = await runCli([...command, "--no-pacing", "--give-up-after", "2m"], {
      fetch: limited.fetch,
    });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^Error: .*Wait \d+ seconds/m);
  });
});

describe("a follower on a terminal", () => {
  test("prints a table, and a line with its progress that is never between the rows", async () => {
    const growing = createFakeNode({ balances: 50 }, { rateLimit: false });
    const timer = setInterval(() => growing.nextBlock({ balances: 3 }), 5);
    const { signal, interrupt } = interruption();
    let outputs = 0;
    const argv = [...command, "--columns", "timestamp,balance"];
    const { stdout, stderr } = await runCli(argv, {
      signal,
      now: clock(250),
      fetch: growing.fetch,
      terminal: 120,
      errorTerminal: 120,
      env: { NO_COLOR: "1" },
      onOutput: () => {
        if (++outputs === 4) interrupt();
        return undefined;
      },
    });
    clearInterval(timer);
    expect(stdout).toMatch(/^timestamp +balance\n2024-\S+ +\d+\n/);
    expect(stderr).toMatch(/\r.\[K\d+ records, \d+\/s, at 2024-02-09T\S+Z\r.\[K/);
    expect(stderr).toMatch(/\r.\[KInterrupted by SIGINT\.\n/);
  });
});

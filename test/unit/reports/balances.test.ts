import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BalanceChange, toDate, toNanoseconds } from "../../../src/index.js";
import type { Account, BalanceSeriesOptions } from "../../../src/reports/index.js";
import { balanceSeries, balancesAt, statement } from "../../../src/reports/index.js";
import type { World } from "../../support/report-worlds.js";
import { accountsOf, lastOf, rangesOfWorld, timesOfWorld, waysToPass, worlds } from "../../support/report-worlds.js";
import { runs } from "../../support/runs.js";

const change = (timestamp: string, balance: string, rest: Partial<BalanceChange> = {}): BalanceChange => {
  const account = { partyId: "p", assetId: "a", marketId: "", accountType: "ACCOUNT_TYPE_GENERAL" };
  return { timestamp: timestamp as `${bigint}`, balance, ...account, ...rest };
};
const ways = fc.constantFrom(...waysToPass);

/** The balance of an account, as a plain loop finds it. */
const balanceOf = ({ kept, isComplete }: World, account: Account, time: bigint): bigint | undefined => {
  const last = lastOf(kept, account, time);
  return last ? BigInt(last.balance) : isComplete ? 0n : undefined;
};

describe("balancesAt", () => {
  test("returns the last balance of each account, as a plain loop finds it", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, timesOfWorld, ways, async (world, time, pass) => {
        const expected = accountsOf(world.kept).map((account) => ({
          ...account,
          balance: balanceOf(world, account, time)?.toString(),
          timestamp: lastOf(world.kept, account, time)?.timestamp,
        }));
        expect(await balancesAt(pass(world.kept), time, { isComplete: world.isComplete })).toEqual(expected);
      }),
      runs(2000),
    );
  });

  test("keeps accounts apart whose ids contain separators", async () => {
    const changes = [change("1", "1", { partyId: "p a" }), change("1", "2", { partyId: "p", assetId: "a a" })];
    expect((await balancesAt(changes, 1n)).map(({ balance }) => balance)).toEqual(["2", "1"]);
  });

  test("treats members that a node did not set as empty, except the asset", async () => {
    const { partyId: _, marketId: __, ...rest } = change("1", "7");
    // A database has `null` for them.
    const stored = change("0", "5", { partyId: null, marketId: null } as object);
    expect(await balancesAt([rest, stored], 2n)).toEqual([
      { partyId: "", assetId: "a", marketId: "", accountType: "ACCOUNT_TYPE_GENERAL", balance: "7", timestamp: "1" },
    ]);
    for (const assetId of [undefined, ""]) {
      const expected = "Expected `assetId` of each record in `changes` of balancesAt to be the id of an asset, got";
      await expect(balancesAt([change("1", "7", { assetId })], 2n)).rejects.toThrow(expected);
    }
  });
});

describe("balanceSeries", () => {
  type Period = BalanceSeriesOptions["every"];
  const periods = fc.constantFrom<Period>("change", "minute", "hour", "day", "week", "month");
  const members = ["partyId", "assetId", "marketId", "accountType"] as const;
  const groups = fc.option(fc.subarray([...members]), { nil: undefined });

  const [minute, hour] = [60_000_000_000n, 3_600_000_000_000n];
  const startsPeriod = (time: bigint, every: Period): boolean => {
    const date = new Date(Number(time / 1_000_000n));
    if (every === "hour" || every === "minute" || every === "change") return true;
    const isFirst = { day: true, week: date.getUTCDay() === 1, month: date.getUTCDate() === 1 }[every];
    return date.getUTCHours() === 0 && isFirst;
  };

  /** The times of the rows: a plain loop over all hours, or minutes. */
  function timesOf(from: bigint, to: bigint, every: Period): bigint[] {
    const step = every === "minute" ? minute : hour;
    const times: bigint[] = [];
    for (let time = from - (from % step); time <= to; time += step) {
      if (time > from && startsPeriod(time, every)) times.push(time);
    }
    const cutsPeriod = to % step !== 0n || !startsPeriod(to, every);
    return cutsPeriod ? [...times, to] : times;
  }

  test("returns the sum of each group at each end of a period, or at each change", async () => {
    const arbitraries = [worlds, rangesOfWorld, fc.boolean(), periods, groups, ways] as const;
    await fc.assert(
      fc.asyncProperty(...arbitraries, async (world, { from, to: latest }, isOpen, every, groupBy, pass) => {
        const { isComplete } = world;
        // The plain loops are slow.
        const longest = from + 60n * { minute, hour, day: latest, week: latest, month: latest, change: latest }[every];
        const end = longest < latest ? longest : latest;
        const kept = isOpen ? world.kept.filter(({ timestamp }) => BigInt(timestamp) <= end) : world.kept;
        const to = isOpen
          ? kept.reduce((last, { timestamp }) => (BigInt(timestamp) > last ? BigInt(timestamp) : last), from)
          : end;
        const names = members.filter((name) => name === "assetId" || (groupBy ?? members).includes(name));
        const groupOf = (account: Account) => names.map((name) => account[name]).join(" ");
        const options = { from, to: isOpen ? undefined : to, every, groupBy, isComplete };
        const rows = await balanceSeries(pass(kept), options);
        const accounts = accountsOf(kept);
        const expected = [...new Set(accounts.map(groupOf))].flatMap((group) => {
          const own = accounts.filter((account) => groupOf(account) === group);
          const changed = kept
            .filter((each) => groupOf(each as Account) === group)
            .map(({ timestamp }) => BigInt(timestamp));
          const inRange = [...new Set(changed)].filter((time) => time > from && time <= to);
          return (every === "change" ? inRange : timesOf(from, to, every)).map((time) => {
            const balances = own.map((account) => balanceOf({ ...world, kept }, account, time));
            const sum = balances.reduce((a, b) => (a === undefined || b === undefined ? undefined : a + b), 0n);
            return `${time} ${group} ${sum}`;
          });
        });
        const found = rows.map((row) =>
          [row.time, ...names.map((name) => row[name]), row.balance ?? "undefined"].join(" "),
        );
        expect(found).toEqual(expected.sort());
      }),
      runs(2000),
    );
  });

  /** A clock on the wall of a zone, as digits of a date and a time. */
  const clockOf = (timeZone: string) => {
    const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
    return (time: bigint) => format.format(new Date(Number(time / 1_000_000n)));
  };
  const zones = "Europe/Berlin Australia/Adelaide America/Sao_Paulo Australia/Lord_Howe Asia/Beirut UTC";

  test.each(zones.split(" "))("has the days, weeks and months of %s, whenever clocks change", async (timeZone) => {
    const [from, to] = ["2017-09-10T05:00:00Z", "2018-12-20T05:00:00Z"].map(toNanoseconds) as [bigint, bigint];
    const clock = clockOf(timeZone);
    // A plain loop over all quarters of an hour: a day ends with the first one that has a later date.
    const expected: Record<string, bigint[]> = { day: [], week: [], month: [] };
    for (let time = from + 15n * minute; time < to; time += 15n * minute) {
      const [before, date] = [clock(time - 1n), clock(time)].map((text) => text.slice(0, 10)) as [string, string];
      if (date <= before) continue;
      expected["day"]?.push(time);
      if (new Date(date).getUTCDay() === 1) expected["week"]?.push(time);
      if (date.slice(0, 7) > before.slice(0, 7)) expected["month"]?.push(time);
    }
    for (const every of ["day", "week", "month"] as const) {
      const rows = await balanceSeries([change("1", "1")], { from, to, every, timeZone });
      expect(rows.map(({ time }) => BigInt(time))).toEqual([...(expected[every] ?? []), to]);
    }
    const hours = await balanceSeries([change("1", "1")], { from, to: from + 40n * hour, every: "hour", timeZone });
    expect(hours.slice(0, -1).every(({ time }) => clock(BigInt(time)).endsWith(":00:00"))).toBe(true);
  });

  test.each(["+05:30", "+0530", "-03", "-03:00"])("has the days of the offset %s", async (timeZone) => {
    const range = { from: "2024-01-01", to: "2024-01-03", every: "day", timeZone } as const;
    const [{ time = "" } = {}] = await balanceSeries([change("1", "1")], range);
    expect(toDate(time).toISOString()).toContain(timeZone.startsWith("+") ? "T18:30" : "T03:00");
  });

  test("has the hour that clocks repeat twice, and its minutes", async () => {
    const timeZone = "Europe/Berlin";
    const rowsOf = async (from: string, to: string, every: Period) =>
      (await balanceSeries([change("1", "1")], { from, to, every, timeZone })).length;
    expect(await rowsOf("2024-10-26T22:00:00Z", "2024-10-27T23:00:00Z", "hour")).toBe(25);
    expect(await rowsOf("2024-10-27T00:58:00Z", "2024-10-27T01:02:00Z", "minute")).toBe(4);
  });

  test("counts a record at the moment at which clocks skip midnight to the day that ends then", async () => {
    const [midnight, next] = [toNanoseconds("2018-11-04T03:00:00Z"), toNanoseconds("2018-11-05T02:00:00Z")];
    const options = { from: "2018-11-03", to: next, every: "day", timeZone: "America/Sao_Paulo" } as const;
    const rows = await balanceSeries([change("1", "1"), change(`${midnight}`, "5")], options);
    expect(rows.slice(-2).map(({ time, balance }) => `${time} ${balance}`)).toEqual([`${midnight} 5`, `${next} 5`]);
  });

  test("has no row without records, at once, however many periods the range has", async () => {
    expect(await balanceSeries([], { from: "1970-01-01", to: "2262-01-01", every: "minute" })).toEqual([]);
  });

  test("has no row if the range is one moment between two periods", async () => {
    const time = "2024-01-01T00:00:00Z";
    expect(await balanceSeries([change("1", "1")], { from: time, to: time, every: "day" })).toEqual([]);
  });
});

describe("statement", () => {
  test("adds up for each account, with the lines that plain loops find", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, rangesOfWorld, fc.boolean(), ways, async (world, { from, to: end }, isOpen, pass) => {
        const to = isOpen ? 2n ** 63n - 1n : end;
        const options = { from, to: isOpen ? undefined : to, isComplete: world.isComplete };
        const statements = await statement(pass(world.kept), options);
        const expected = accountsOf(world.kept).map((account) => {
          const lines = world.kept
            .filter((each) => lastOf([each], account, to) !== undefined && BigInt(each.timestamp) > from)
            .sort((a, b) => (BigInt(a.timestamp) < BigInt(b.timestamp) ? -1 : 1))
            .map(({ timestamp, balance }) => {
              const before = balanceOf(world, account, BigInt(timestamp) - 1n);
              return { timestamp, balance, change: before === undefined ? undefined : `${BigInt(balance) - before}` };
            });
          const [opening, closing] = [from, to].map((time) => balanceOf(world, account, time)?.toString());
          return { ...account, opening, closing, lines };
        });
        expect(statements).toEqual(expected);
      }),
      runs(2000),
    );
  });

  test("has a record that was read twice once", async () => {
    const [first, second] = [change("1", "5"), change("2", "5")];
    const [account] = await statement([second, first, second, first], { from: 0n, to: 2n });
    expect(account?.lines.map(({ timestamp }) => timestamp)).toEqual(["1", "2"]);
  });
});

type Changes = Iterable<BalanceChange> | AsyncIterable<BalanceChange>;

describe.each<[name: string, report: (changes: Changes) => Promise<unknown>]>([
  ["balancesAt", (changes) => balancesAt(changes, 9n)],
  ["balanceSeries", (changes) => balanceSeries(changes, { from: 0n, to: 9n, every: "day" })],
  ["statement", (changes) => statement(changes, { from: 0n, to: 9n })],
])("%s", (_, report) => {
  test("closes the iterator if a record is invalid, and rejects with the iterator's error", async () => {
    let isClosed = false;
    const records = async function* () {
      try {
        yield* ["1", "x", "2"].map((timestamp) => Object.freeze(change(timestamp, "1")));
      } finally {
        isClosed = true;
      }
    };
    const message = expect.stringContaining("Expected `timestamp` of each record in `changes`");
    await expect(report(records())).rejects.toMatchObject({ name: "ArgumentError", argument: "changes", message });
    expect(isClosed).toBe(true);
    const failure = new Error("lost");
    const failing = async function* () {
      yield change("1", "1");
      throw failure;
    };
    await expect(report(failing())).rejects.toBe(failure);
  });

  test.each([undefined, null, 5, {}, [null], ["1"]])("refuses %j, which is not records", async (changes) => {
    const words = Array.isArray(changes) ? "each record in `changes` " : "an iterable of records, ";
    const error = { name: "ArgumentError", argument: "changes", message: expect.stringContaining(words) };
    await expect(report(changes as never)).rejects.toMatchObject(error);
  });

  test("refuses two balances of one account and time, in either order", async () => {
    const changes = [change("5", "1"), change("5", "2")];
    for (const each of [changes, [...changes].reverse()])
      await expect(report(each)).rejects.toThrow("the balance of another record of the same account and time");
    await expect(report([change("5", "1"), change("5", "1")])).resolves.toBeDefined();
  });
});

test.each([
  ["changes", () => balancesAt([change("1", "1.5")], 1n)],
  ["changes", () => balanceSeries([change("9".repeat(25), "1")], { from: 1n, every: "month" })],
  ["time", () => balancesAt([], "yesterday")],
  ["time", () => balancesAt([], 2n ** 63n)],
  ["time", () => balancesAt([], "2024")],
  ["from", () => statement([], { from: "1707497689123", to: "2024-02-09" })],
  ["to", () => balanceSeries([], { from: "2024-01-01", to: "946684799999999999", every: "day" })],
  ["complete", () => balancesAt([], 1n, { complete: true } as never)],
  ["isComplete", () => balancesAt([], 1n, { isComplete: "yes" as never })],
  ["to", () => statement([], { from: 2n, to: 1n })],
  ["to", () => balanceSeries([], { from: 1n, to: new Date(Number.NaN), every: "day" })],
  ["every", () => balanceSeries([], { from: 1n, to: 2n, every: "year" as never })],
  ["timeZone", () => balanceSeries([], { from: 1n, every: "day", timeZone: "Mars/Olympus" })],
  ...[1, ["Europe/Berlin"], ["+01"], "UTC+01", "+01:00 ", "+24"].map((timeZone): [string, () => Promise<unknown>] => {
    return ["timeZone", () => balanceSeries([], { from: 1n, every: "day", timeZone: timeZone as string })];
  }),
  ["groupBy", () => balanceSeries([], { from: 1n, to: 2n, every: "day", groupBy: "partyId" as never })],
  ["groupBy[0]", () => balanceSeries([], { from: 1n, to: 2n, every: "day", groupBy: ["party" as never] })],
  ["groupBy[1]", () => balanceSeries([], { from: 1n, to: 2n, every: "day", groupBy: ["assetId", "party" as never] })],
])("reports of balances refuse a wrong `%s` by its name", async (argument, call) => {
  await expect(call()).rejects.toMatchObject({ name: "ArgumentError", argument, operation: expect.any(String) });
});

test("a range that ends before it begins is refused with both times as they were passed", async () => {
  const range = { from: new Date("2024-02-09"), to: "2024-02-08" };
  await expect(statement([], range)).rejects.toThrow('`from`, 2024-02-09T00:00:00.000Z, got "2024-02-08".');
});

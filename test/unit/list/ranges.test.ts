import { expect, test } from "vitest";
import type { Connection } from "../../../src/http/send.js";
import { ApiError } from "../../../src/index.js";
import type { PageRequest } from "../../../src/list/page.js";
import { withinRange } from "../../../src/list/ranges.js";
import { pageAt, script } from "../../support/scripted-pages.js";

const { signal } = new AbortController();
const [older, newer, after] = [{ first: 9 }, { first: 9, newestFirst: false }, { after: "a" }];

/** So many days after 1 January 2020. */
const day = (days: number) => 1_577_836_800_000_000_000n + BigInt(days) * 86_400_000_000_000n;
const range = (start: number, end: number) => ({ start: day(start), end: day(end) });
const request = { method: "GET", url: "" };
const refused = (headers = {}, message = "invalid date range") => {
  const details = message ? [{ "@type": "type.googleapis.com/vega.ErrorDetail" as const, code: 1, message }] : [];
  const response = new Response("", { status: 400, headers });
  return new ApiError({ request, response, body: { code: 3, message: "", details } });
};
const old = refused({ "x-block-height": "1", "x-block-timestamp": `${day(1000)}` });
const [page, full] = [false, true].map((more) => pageAt([day(999)], { block: day(1000), more }));
const [soon, later] = [600, 992].map((days) => pageAt([], { block: day(days) }));
const [year, long, early, most] = [range(0, 364), range(0, 365), range(-1, 9), range(0, 980)];
const [refusal, none, slow, fast] = [refused(), pageAt([]), range(630, 994), range(238, 602)];
const before = { start: day(0), end: day(0) + 1000n };

test.each<[string, PageRequest, Parameters<typeof script>[0], sent: object[], window?: object]>([
  ["has the newest year", { pagination: older }, [old, full], [{}, range(638, 1002)], range(638, 1002)],
  ["has the oldest year", { pagination: newer }, [old, page], [{}, year], year],
  ["has the end of its range", { pagination: older, ...long }, [old, page], [long, range(1, 365)], range(1, 365)],
  ["has the start of its range", { pagination: newer, ...long }, [old, page], [long, year], year],
  ["begins in 2020", { pagination: older, ...early }, [old, page], [early, range(0, 9)]],
  ["begins in 2020, oldest first", { pagination: newer, ...early }, [old, page], [early, range(0, 9)]],
  ["is empty before 2020", { pagination: older, ...range(-9, -1) }, [old, page], [range(-9, -1), before]],
  ["is requested as it is", { pagination: older, ...year }, [page], [year]],
  ["is refused for another reason", { pagination: older }, [refused({}, "")], [{}]],
  ["is refused with a short range", { pagination: older, ...year }, [old], [year]],
  ["after a cursor has no start", { pagination: after, start: day(-1) }, [old, page], [{ start: day(-1) }, {}]],
  ["after a cursor has no end", { pagination: after, end: day(9) }, [old, page], [{ end: day(9) }, {}]],
  ["after a cursor alone is requested once", { pagination: after }, [old], [{}]],
  ["is read again: slow clock", { pagination: older }, [refusal, later, none], [{}, range(628, 992), slow], slow],
  [
    "is read again, the clock is fast",
    { pagination: older, ...most },
    [refusal, soon, none],
    [most, range(616, 980), fast],
    fast,
  ],
])("on a node that refuses long ranges, a page %s", async (_, request, pages, sent, window) => {
  const { read, requests } = script(pages);
  const connection = { session: {}, clock: { date: () => Number(day(990) / 1_000_000n) } } as Connection;
  const result = await withinRange(read, connection)(request, {}, signal).catch((error: unknown) => error);
  const last = pages.at(-1);
  const completeFrom = request.pagination === newer ? day(999) : 0n;
  const shown = { window: { ...window, hasMore: last === full }, pageInfo: { hasNextPage: true }, completeFrom };
  if (window) expect(result).toMatchObject(shown);
  else expect(result).toBe(last);
  expect(requests).toEqual(sent.map((range) => ({ pagination: request.pagination, ...range })));
});

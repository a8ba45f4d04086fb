import { expect, test } from "vitest";
import type { Connection } from "../../../src/http/send.js";
import { ApiError } from "../../../src/index.js";
import type { PageRequest } from "../../../src/list/page.js";
import { withinRange } from "../../../src/list/ranges.js";
import { pageAt, script } from "../../support/scripted-pages.js";

const { signal } = new AbortController();
const [older, after] = [{ first: 9 }, { after: "a" }];

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
const page = pageAt([day(999)], { block: day(1000) });
const [soon, later] = [600, 992].map((days) => pageAt([], { block: day(days) }));
const [year, most] = [range(0, 364), range(0, 980)];
const [refusal, none, slow, fast] = [refused(), pageAt([]), range(660, 994), range(268, 602)];
const before = { start: day(0), end: day(0) + 1000n };
const longest: PageRequest = { pagination: older, ...most };

test.each<[string, PageRequest, Parameters<typeof script>[0], sent: object[], window?: object]>([
  ["is empty before 2020", { pagination: older, ...range(-9, -1) }, [old, page], [range(-9, -1), before]],
  ["is requested as it is", { pagination: older, ...year }, [page], [year]],
  ["is refused for another reason", { pagination: older }, [refused({}, "")], [{}]],
  ["is refused with a short range", { pagination: older, ...year }, [old], [year]],
  ["after a cursor has no start", { pagination: after, start: day(-1) }, [old, page], [{ start: day(-1) }, {}]],
  ["after a cursor has no end", { pagination: after, end: day(9) }, [old, page], [{ end: day(9) }, {}]],
  ["after a cursor alone is requested once", { pagination: after }, [old], [{}]],
  ["is read again: slow clock", { pagination: older }, [refusal, later, none], [{}, range(658, 992), slow], slow],
  ["is read again: fast clock", longest, [refusal, soon, none], [most, range(646, 980), fast], fast],
])("on a node that refuses long ranges, a page %s", async (_, request, pages, sent, window) => {
  const { read, requests } = script(pages);
  const connection = { session: {}, clock: { date: () => Number(day(990) / 1_000_000n) } } as Connection;
  const result = await withinRange(read, connection)(request, {}, signal).catch((error: unknown) => error);
  if (window) expect(result).toMatchObject({ window, pageInfo: { hasNextPage: true }, completeFrom: 0n });
  else expect(result).toBe(pages.at(-1));
  expect(requests).toEqual(sent.map((range) => ({ pagination: request.pagination, ...range })));
});

test("behind one address, a node that is far behind does not make the client read a page for ever", async () => {
  const pages = Array.from({ length: 20 }, (_, index) => pageAt([], { block: day(index % 2 ? 990 : 300) }));
  const { read, requests } = script([old, ...pages]);
  const connection = { session: {}, clock: { date: () => Number(day(990) / 1_000_000n) } } as Connection;
  await withinRange(read, connection)({ pagination: older, end: day(980) }, {}, signal);
  expect(requests).toHaveLength(2);
});

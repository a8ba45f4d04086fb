/** How nodes of other versions and in other places respond, in terms of a fake node. */
import type { FakeNode } from "../../src/testing/index.js";

type Fetch = FakeNode["fetch"];

/** v0.75 nodes refuse a range with an internal error (their source). */
export const asOlder =
  (fetch: Fetch): Fetch =>
  async (...request) => {
    const response = await fetch(...request);
    const text = await response.text();
    const isRefused = text.includes("invalid date range");
    return new Response(isRefused ? text.replace('"code":3', '"code":13') : text, {
      status: isRefused ? 500 : response.status,
      headers: response.headers,
    });
  };

/** A node whose machine is two hours east of UTC spells the times of cursors accordingly (source of v0.74). */
export const inOtherZone =
  (fetch: Fetch): Fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    for (const [name, cursor] of [...url.searchParams])
      if (/^pagination\.(?:after|before)$/.test(name)) url.searchParams.set(name, respell(cursor, fromEast));
    const response = await fetch(new Request(url, request));
    const text = (await response.text()).replaceAll(/(?<=cursor":")[^"]+/gi, (cursor) => respell(cursor, toEast));
    return new Response(text, { status: response.status, headers: response.headers });
  };

const respell = (cursor: string, show: (time: string) => string) =>
  btoa(atob(cursor).replace(/(?<="vega_time":")[^"]*/, show));

const hours = 7_200_000;
const toEast = (time: string) => shifted(time, hours).replace("Z", "+02:00");
/** The node compares cursors as text: a time in UTC is not its own spelling. */
const fromEast = (time: string) =>
  time.endsWith("+02:00") ? shifted(time.replace("+02:00", "Z"), -hours) : time.replace("Z", "+00:00");

/** Nodes write no zeros at the end of a fraction. */
function shifted(time: string, milliseconds: number): string {
  const [, second = "", fraction = ""] = /^(.+?)(\.\d+)?Z$/.exec(time) ?? [];
  return new Date(Date.parse(`${second}Z`) + milliseconds).toISOString().replace(".000Z", `${fraction}Z`);
}

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { withAccountId } from "../../../src/list/cursors.js";
import { changeAt } from "../../support/records.js";

const time = 1_707_486_400_000_000_000n;
const record = changeAt(time, { marketId: "b2", accountType: "ACCOUNT_TYPE_MARGIN" });
const accountId = createHash("sha256").update(`${record.assetId}${record.partyId}b2ACCOUNT_TYPE_MARGIN`).digest("hex");
const names = { AssetID: record.assetId, PartyID: record.partyId, MarketID: "b2", Type: 3 };

/** A cursor with spaces, which no JSON that is written anew has. */
const cursorOf = (members: object) => btoa(JSON.stringify({ vega_time: "2024-02-09T13:46:40Z", ...members }, null, 1));
const idIn = (cursor = "") => JSON.parse(atob(cursor)).AccountID;

test("a cursor without an account id gets the id of its record, or of the account that it has", () => {
  const { timestamp, ...account } = record;
  const cursor = cursorOf({ ...names, AccountID: null });
  for (const completed of [withAccountId(cursor, account), withAccountId(cursor)]) {
    expect(idIn(completed?.cursor)).toBe(accountId);
    expect(completed?.record).toMatchObject({ partyId: record.partyId, accountType: "ACCOUNT_TYPE_MARGIN" });
  }
});

test("a cursor with an account id stays as the node wrote it, also if the type of the account is not known", () => {
  const cursor = cursorOf({ ...names, Type: 99, AccountID: "other" });
  expect(withAccountId(cursor)?.cursor).toBe(cursor);
});

test("a cursor is not completed if its account has a type without a name", () => {
  const { cursor, record } = withAccountId(cursorOf({ ...names, Type: 99, AccountID: null })) ?? {};
  expect([cursor, record]).toMatchObject([undefined, { partyId: names.PartyID, accountType: 99 }]);
});

test.each([
  ["it has no member for the account id", names],
  ["it has no time", { ...names, AccountID: null, vega_time: undefined }],
])("a cursor is not completed if %s", (_, members) => {
  expect(withAccountId(cursorOf(members))).toBeUndefined();
});

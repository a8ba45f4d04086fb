/**
 * The chart of `docs/sync.md`, from a query of that page on a local database. It needs Node.js 22.13 or later.
 *
 *   npx tsx scripts/docs/sync-chart.ts          writes it, and its description in the page
 *   npx tsx scripts/docs/sync-chart.ts --check  fails if a file would change
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { count } from "../../bench/measure.js";
import { loadSqlite } from "../../cli/src/sqlite.js";
import { SqliteDestination } from "../../cli/src/sync/destinations/sqlite.js";
import { syncTo } from "../../cli/src/sync/sync.js";
import { createClient } from "../../src/index.js";
import { createFakeNode } from "../../src/testing/index.js";
import { runScript } from "../run-script.js";
import { type Chart, draw } from "./charts.js";
import { withDescription, withStyle } from "./pictures.js";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const page = "sync.md";
const picture = "pictures/chart-sync.svg";

const second = 1_000_000_000n;
/** In hundreds, by day. The last day has a payout. */
const activity = [6, 5, 7, 3, 2, 6, 9, 12];
const assetId = "fdf6c740e53075e212c6eac7913dc0c252da69fb6f562e973b7e7dea8b646c7b";

/** Balance changes of some days, from 1 February 2024 on. */
function balanceChanges() {
  const start = BigInt(Date.parse("2024-02-01")) * 1_000_000n;
  return activity.flatMap((hundreds, day) =>
    Array.from({ length: 100 * hundreds }, (_, index) => ({
      timestamp: `${start + (BigInt(day) * 86_400n + BigInt(index * 50)) * second}` as const,
      balance: `${index}`,
      partyId: (index % 90).toString(16).padStart(64, "0"),
      assetId,
      marketId: "",
      accountType: "ACCOUNT_TYPE_GENERAL",
    })),
  );
}

/** The query of the page that has a text. */
async function queryOf(text: string): Promise<string> {
  const blocks = (await readFile(docs + page, "utf8")).matchAll(/^```sql\n([\s\S]*?)^```$/gm);
  const found = [...blocks].map(([, sql = ""]) => sql).find((sql) => sql.includes(text));
  if (found === undefined) throw new Error(`Expected docs/${page} to have a query with "${text}".`);
  return found;
}

async function chart(): Promise<Chart> {
  const database = loadSqlite("The chart")(":memory:");
  const node = createFakeNode({ balances: balanceChanges() }, { rateLimit: false });
  const client = createClient({ baseUrl: "https://node.example", fetch: node.fetch });
  await syncTo(new SqliteDestination(database), client, { balances: { filter: {} } });
  // The statements of this module take parameters by name as well.
  const statement = database.prepare(await queryOf("GROUP BY day")) as unknown as { all(values: object): unknown[] };
  const rows = statement.all({ asset: assetId }) as { day: string; changes: number }[];
  database.close();
  const bars = rows.map(({ day, changes }) => ({ name: day, value: changes, text: count(changes), isOwn: false }));
  const conditions = "From a local database of the fake node";
  return { title: "Balance changes of an asset", unit: "By day", groups: [{ title: "", bars }], conditions };
}

async function main(): Promise<void> {
  const made = await chart();
  const text = await readFile(docs + page, "utf8");
  const files = { [picture]: await withStyle(draw(made)), [page]: withDescription(text, picture, made) };
  for (const [file, content] of Object.entries(files)) {
    const current = await readFile(docs + file, "utf8").catch(() => undefined);
    if (current === content) continue;
    if (process.argv.includes("--check")) {
      throw new Error(`docs/${file} is not current: run \`npx tsx scripts/docs/sync-chart.ts\`.`);
    }
    await writeFile(docs + file, content);
    console.log(`docs/${file}`);
  }
}

await runScript(import.meta.url, main);

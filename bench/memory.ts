import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { waysTo } from "./clients.js";
import { count, type Report, round, withServer } from "./measure.js";

const records = 500_000;
const pageSize = 1000;

/** The most memory that a process takes which does one walk and nothing else. */
export const memory = (): Promise<Report[]> =>
  withServer(async (baseUrl) => {
    const rows: Report["rows"] = {};
    for (const name of Object.keys(waysTo(baseUrl))) {
      const walker = fork(fileURLToPath(import.meta.url), [baseUrl, name]);
      const [bytes] = (await once(walker, "message")) as [number];
      rows[name] = { "peak, MiB": round(bytes / 2 ** 20) };
    }
    return [
      { title: `Memory of a process that walks over ${count(records)} records in pages of ${count(pageSize)}`, rows },
    ];
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , baseUrl = "", name = ""] = process.argv;
  await waysTo(baseUrl)[name]?.walk(records, pageSize);
  process.send?.(process.resourceUsage().maxRSS * 1024);
}

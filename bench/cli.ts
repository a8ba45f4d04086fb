import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createFakeNode } from "../dist/src/testing/index.js";
import { listen } from "../dist/src/testing/node/index.js";
import { median, type Report, round } from "./measure.js";

const rounds = 25;
/** Milliseconds. */
const [mostHelp, mostFirstLine] = [120, 100];
const main = fileURLToPath(new URL("../cli/dist/main.js", import.meta.url));

/** How long the program takes to start, and until the first line of a pipe. */
export async function cli(): Promise<Report[]> {
  const bare: number[] = [];
  const help: number[] = [];
  for (let number = 0; number < rounds; number++) {
    bare.push(await timeOf(["--eval", "0"]));
    help.push(await timeOf([main, "--help"]));
  }
  const added = median(help.map((time, index) => time - (bare[index] ?? 0)));
  const firstLine = median(await measureFirstLines());
  check("--help", added, mostHelp);
  check("The first line of a pipe", firstLine, mostFirstLine);
  return [
    {
      title: `Start of the command line, ${rounds} rounds, in milliseconds`,
      rows: {
        node: { ms: round(median(bare)) },
        "--help": { ms: round(median(help)), "more than node": round(added), "at most": mostHelp },
        "first line of a pipe after the first record": { ms: round(firstLine), "at most": mostFirstLine },
      },
    },
  ];
}

function check(what: string, value: number, most: number): void {
  if (value <= most) return;
  console.error(`${what} takes ${round(value)} ms: more than ${most}.`);
  process.exitCode = 1;
}

async function timeOf(args: readonly string[]): Promise<number> {
  const start = performance.now();
  await once(spawn(process.execPath, args, { stdio: "ignore" }), "close");
  return performance.now() - start;
}

/** From the response with the first record, which the node sends, to the first line, while later pages are slow. */
async function measureFirstLines(): Promise<number[]> {
  const node = createFakeNode({ balances: 2000 }, { rateLimit: false });
  let sentAt = 0;
  let requests = 0;
  const server = await listen({
    fetch: async (request) => {
      if (++requests > 1) await new Promise((resolve) => setTimeout(resolve, 400));
      const response = await node.fetch(request);
      if (requests === 1) sentAt = performance.now();
      return response;
    },
  });
  const times: number[] = [];
  try {
    for (let number = 0; number < 7; number++) {
      requests = 0;
      const args = [main, "balances", "--node", server.url, "--page-size", "100", "--limit", "300"];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      await once(child.stdout, "data");
      times.push(performance.now() - sentAt);
      child.stdout.resume();
      await once(child, "close");
    }
  } finally {
    await server.close();
  }
  return times;
}

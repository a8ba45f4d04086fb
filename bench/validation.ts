import { createFakeNode } from "../dist/src/testing/index.js";
import { type CheckedAnswer, validateAnswers } from "../dist/src/validate/index.js";
import { measure, median, type Report, round } from "./measure.js";

const rounds = 9;

/** The validation of responses compared with their `JSON.parse`, for pages of 5000 records. */
export async function validation(): Promise<Report[]> {
  const node = createFakeNode(
    { votes: 15_000, profiles: 5000, balances: 5000, signatures: 15_000 },
    { rateLimit: false },
  );
  const [vote] = node.records.votes;
  const [signature] = node.records.signatures;
  const paths = {
    listVotes: `/api/v2/votes?proposalId=${vote?.proposalId}&pagination.first=5000`,
    listPartiesProfiles: "/api/v2/parties/profiles?pagination.first=5000",
    listBalanceChanges: "/api/v2/balance/changes?pagination.first=5000",
    listNodeSignatures: `/api/v2/node/signatures?id=${signature?.id}&pagination.first=5000`,
  } as const;
  const check = validateAnswers({ onMismatch: "throw" });
  const rows: Report["rows"] = {};
  for (const [operation, path] of Object.entries(paths)) {
    const response = await node.fetch(`https://node.example${path}`);
    const text = await response.text();
    const body: unknown = JSON.parse(text);
    const received = { operation, calledBy: operation, body, response, attempts: 1 } as CheckedAnswer;
    const repeat = (task: () => void) => async () => {
      for (let times = 0; times < 10; times++) task();
    };
    const ways = { parse: repeat(() => JSON.parse(text)), check: repeat(() => check(received)) };
    const { parse, check: checked } = await measure(ways, rounds);
    const [parseCpu, checkCpu] = [parse?.cpu ?? [], checked?.cpu ?? []];
    rows[operation] = {
      "JSON.parse, ms": round(median(parseCpu) / 1e7),
      "check, ms": round(median(checkCpu) / 1e7),
      "check, % of parse": round(median(checkCpu.map((time, index) => (100 * time) / (parseCpu[index] ?? time)))),
    };
  }
  return [{ title: `CPU time of the validation of a response with 5,000 records, ${rounds} rounds`, rows }];
}

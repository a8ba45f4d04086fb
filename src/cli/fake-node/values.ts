import { nodeFaults } from "../../testing/faults.js";
import type { NodeFault } from "../../testing/index.js";
import { quote, UsageError } from "../exit.js";
import { refuseFlag, type Values } from "../flag-values.js";

/** How many blocks each node is behind. Nodes without a value have that of the last one. */
export function readLags(values: Values, nodes: number): number[] {
  const text = values.text("lag") ?? "0";
  const lags = text
    .split(",")
    .map((each) => (/^\d+$/.test(each) ? Number(each) : refuseFlag("lag", "numbers of blocks, as in 0,0,600", text)));
  if (lags.length > nodes)
    refuseFlag("lag", nodes === 1 ? "one number, or --nodes" : `at most ${nodes} numbers, one for each node`, text);
  return Array.from({ length: nodes }, (_, index) => lags[index] ?? lags.at(-1) ?? 0);
}

/** Reads what fails, as in `latency=200ms,503=5%`. */
export const readFaults = (values: Values): NodeFault[] =>
  values.all("fault").flatMap((text) => text.split(",").map(readFault));

function readFault(text: string): NodeFault {
  const [, name = "", value = ""] = /^([\w-]+)(?:=(.*))?$/.exec(text) ?? [];
  if (name === "latency") {
    const [, number, unit = "ms", percent] = /^(\d+(?:\.\d+)?)(ms|s)(?:\/(.+))?$/.exec(value) ?? [];
    if (number === undefined) return reject("latency=200ms, or latency=200ms/10% for some requests", text);
    return { name, milliseconds: Number(number) * (unit === "s" ? 1000 : 1), ...shareOf(percent, text) };
  }
  const share = shareOf(value === "" ? undefined : value, text);
  if (/^[2-5]\d\d$/.test(name)) return { name: "status", status: Number(name), ...share };
  const found = plainFaults.find((each) => each === name);
  return found ? { name: found, ...share } : reject(`a status, or one of latency, ${plainFaults.join(", ")}`, text);
}

const isPlain = (name: NodeFault["name"]) => name !== "latency" && name !== "status";
const plainFaults = nodeFaults.filter(isPlain) as Exclude<NodeFault["name"], "latency" | "status">[];

function shareOf(percent: string | undefined, text: string): { share?: number } {
  if (percent === undefined) return {};
  const [, number] = /^(\d+(?:\.\d+)?)%$/.exec(percent) ?? [];
  const share = Number(number) / 100;
  return share <= 1 ? { share } : reject("a share from 0% to 100%", text);
}

function reject(expected: string, text: string): never {
  throw new UsageError(`Expected --fault to have ${expected}, got ${quote(text)}.`);
}

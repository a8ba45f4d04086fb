import type { Operation, Value } from "vegaprotocol-client/operations";
import { leavesOf } from "../arguments.js";
import { Rejection } from "./errors.js";

type Group = { [name: string]: unknown };

/** Reads parameters as the argument of the client's method. An unknown name is refused: it would silently be no filter. */
export function readParameters(operation: Pick<Operation, "arguments">, query: URLSearchParams, path: object): Group {
  const leaves = leavesOf(operation.arguments).filter(({ spec }) => spec.in === "query");
  const argument: Group = { ...path };
  for (const [name, text] of query) {
    const leaf = leaves.find(({ spec }) => spec.name === name || snakeCase(spec.name) === name);
    if (leaf === undefined) throw new Rejection(3, `There is no parameter ${name}.`);
    const last = leaf.path.at(-1) ?? "";
    let group = argument;
    for (const part of leaf.path.slice(0, -1)) {
      group[part] ??= {};
      group = group[part] as Group;
    }
    if (leaf.spec.kind === "array") {
      group[last] = [...((group[last] as unknown[]) ?? []), read(leaf.spec.items, text)];
    } else if (last in group) throw new Rejection(3, `Expected the parameter ${name} once.`);
    else group[last] = read(leaf.spec, text);
  }
  return argument;
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A value of another form stays a text, which the client refuses. */
function read(spec: Value, text: string): unknown {
  if (spec.kind === "int32") return /^[+-]?\d+$/.test(text) ? Number(text) : text;
  if (spec.kind === "boolean") return /^(?:1|t|true)$/i.test(text) || (/^(?:0|f|false)$/i.test(text) ? false : text);
  if (spec.kind !== "enum" || !/^\d+$/.test(text)) return text;
  return spec.values[spec.numbers.indexOf(Number(text))] ?? text;
}

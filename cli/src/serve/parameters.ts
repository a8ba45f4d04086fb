import type { Operation, Value } from "vegaprotocol-client/operations";
import { leavesOf, setMember } from "../arguments.js";
import { Rejection } from "./errors.js";

/** Reads parameters as the argument of a method. Unknown names are refused: they would not filter anything. */
export function readParameters(operation: Pick<Operation, "arguments">, query: URLSearchParams, path: object) {
  const argument: Record<string, unknown> = { ...path };
  const unknown = new Set(query.keys());
  for (const { path, spec } of leavesOf(operation.arguments)) {
    if (spec.in !== undefined) continue;
    const name = path.join(".");
    const names = [...new Set([name, snakeCase(name)])];
    for (const each of names) unknown.delete(each);
    const texts = names.flatMap((each) => query.getAll(each));
    if (texts.length === 0) continue;
    if (spec.kind !== "array" && texts.length > 1) throw new Rejection(3, `Expected the parameter ${name} once.`);
    const values = texts.map((text) => read(spec.kind === "array" ? spec.items : spec, text));
    if (spec.kind === "boolean" && typeof values[0] === "string")
      throw new Rejection(3, `Expected ${name} to be true or false.`);
    setMember(argument, path, spec.kind === "array" ? values : values[0]);
  }
  for (const name of unknown) throw new Rejection(3, `There is no parameter ${name}.`);
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

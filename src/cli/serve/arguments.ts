import type { Argument, Operation, Value } from "../../arguments/operation.js";
import { toName } from "../../values/enumeration.js";

type Members = Readonly<Record<string, Argument>>;
type Group = { [name: string]: unknown };

/**
 * Reads the parameters of a request as the argument of the client's method, which checks it. Names that the operation does not have stay in
 * the argument: the client rejects them, because a misspelled filter would silently be no filter.
 *
 * @param path - The parameters of the path.
 */
export function readParameters(
  { arguments: members }: Pick<Operation, "arguments">,
  query: URLSearchParams,
  path: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const argument: Group = { ...path };
  for (const name of new Set(query.keys())) {
    const { spec, path: place } = find(members, name) ?? { path: [name] };
    const texts = query.getAll(name);
    let group = argument;
    for (const part of place.slice(0, -1)) {
      group[part] ??= {};
      group = group[part] as Group;
    }
    const last = place.at(-1) ?? name;
    if (spec?.kind === "array") group[last] = [...((group[last] as unknown[]) ?? []), ...texts.map(read(spec.items))];
    // A parameter that is there twice is rejected as an array.
    else group[last] = spec === undefined || texts.length > 1 ? texts : texts.map(read(spec))[0];
  }
  return argument;
}

/** The parameter with a name of the wire, and its place in the argument. */
function find(members: Members, wanted: string, path: string[] = []): { spec: Value; path: string[] } | undefined {
  for (const [name, spec] of Object.entries(members)) {
    if (spec.kind === "object") {
      const found = find(spec.members, wanted, [...path, name]);
      if (found) return found;
    } else if (spec.in === "query" && (spec.name === wanted || snakeCase(spec.name) === wanted)) {
      return { spec, path: [...path, name] };
    }
  }
  return undefined;
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What is not of the form of a value stays a text, which the client rejects. */
const read =
  (spec: Value) =>
  (text: string): unknown => {
    switch (spec.kind) {
      case "int32":
        return /^[+-]?\d+$/.test(text) ? Number(text) : text;
      case "boolean":
        if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
        return /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : text;
      case "enum":
        return /^\d+$/.test(text) ? String(toName(spec, Number(text))) : text;
      default:
        return text;
    }
  };

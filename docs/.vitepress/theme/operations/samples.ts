import { type Field, type FormValues, fieldsOf, type OperationId, operationOf, textsOf } from "./fields.js";
import { requestFor } from "./request.js";

const width = 80;

/** What the samples call a record, and other things that a person would choose. */
const names: Partial<Record<OperationId, string>> = {
  listVotes: "vote",
  listPartiesProfiles: "profile",
  listBalanceChanges: "change",
  listNodeSignatures: "signature",
};

/** A program that makes the request of the form with this client. */
export function typescriptSample(id: OperationId, baseUrl: string, values: FormValues): string {
  const problems = problemsOf(id, values).map((problem) => `// The client rejects this call: ${problem}\n`);
  return [
    'import { createClient } from "vegaprotocol-client";\n\n',
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)} });\n\n`,
    ...problems,
    ...statements(id, values),
    "\n",
  ].join("");
}

/** A command that sends the request of the form. */
export function curlSample(id: OperationId, baseUrl: string, values: FormValues): string {
  const { url, body } = requestFor(id, baseUrl, values);
  if (body === undefined) return `curl ${quote(url)}\n`;
  return `curl ${quote(url)} \\\n  --header 'Content-Type: application/json' \\\n  --data ${quote(body)}\n`;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The call, and what a person does with its result. */
function statements(id: OperationId, values: FormValues): string[] {
  const given = fieldsOf(id).filter((field) => textsOf(field, values).length > 0);
  const argument = toObject(given, values);
  const call = (before: string, after: string) => {
    const start = `${before}client.${id}(`;
    const printed = given.length > 0 ? print(argument, { column: start.length, after: after.trimEnd().length }) : "";
    return start + printed + after;
  };
  const name = names[id] ?? "record";
  if (id === "checkTransaction") {
    return [
      call("const result = await ", ");\n"),
      'if (result.success) console.log("The transaction passed.");\n',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a template.
      "else console.log(`Rejected with code ${result.code}: ${result.data}`);",
    ];
  }
  if (operationOf(id).kind === "single") {
    return [call("const response = await ", ");\n"), "console.log(response);"];
  }
  // A size or a cursor names one page.
  const isPage = ["first", "last", "after", "before"].some((member) => isGiven(values[`pagination.${member}`]));
  if (!isPage) return [call(`for await (const ${name} of `, ")) {"), `\n  console.log(${name});\n}`];
  return [
    call("const page = await ", ");\n"),
    `for (const ${name} of page.nodes) console.log(${name});\n\n`,
    "// The `pagination` of the next page, or undefined if there is none.\nconsole.log(page.next);",
  ];
}

const isGiven = (value: FormValues[string] | undefined) =>
  value !== undefined && value !== "" && value.toString() !== "";

/** Why the compiler or the client rejects the call. */
function problemsOf(id: OperationId, values: FormValues): string[] {
  const given = new Set(fieldsOf(id).flatMap((field) => (textsOf(field, values).length > 0 ? field.path : [])));
  const { atLeastOneOf = [] } = operationOf(id);
  const missing = fieldsOf(id).filter(({ required, path }) => required && !given.has(path));
  const mixed =
    (given.has("pagination.first") || given.has("pagination.after")) &&
    (given.has("pagination.last") || given.has("pagination.before"));
  return [
    ...missing.map(({ path }) => `${path} is required.`),
    ...(atLeastOneOf.length > 0 && !atLeastOneOf.some((name) => given.has(name))
      ? [`it requires ${atLeastOneOf.join(" or ")}.`]
      : []),
    ...(mixed ? ["forward and backward pagination cannot be combined."] : []),
  ];
}

/** A value in TypeScript: code as it is, or the members of an object or array. */
type Printed = string | Printed[] | { [name: string]: Printed };

function toObject(fields: readonly Field[], values: FormValues): Printed {
  const object: Record<string, Printed> = {};
  for (const field of fields) {
    const texts = textsOf(field, values);
    const printed =
      field.kind === "array" ? texts.map((text) => toCode(text, field.items.kind)) : toCode(texts[0] ?? "", field.kind);
    if (field.group === undefined) object[field.path] = printed;
    else
      object[field.group] = {
        ...(object[field.group] as Record<string, Printed>),
        [field.path.slice(field.group.length + 1)]: printed,
      };
  }
  return object;
}

function toCode(text: string, kind: Field["kind"]): Printed {
  if (kind === "boolean" && /^(?:true|false)$/.test(text)) return text;
  if (kind === "int32" && /^-?\d+$/.test(text)) return `${Number(text)}`;
  if (kind === "nanoseconds") return timeCode(text);
  if (kind !== "json") return JSON.stringify(text);
  try {
    return jsonCode(JSON.parse(text));
  } catch {
    return "{} /* The text in the form is not JSON. */";
  }
}

/** A date where it is exact, else the nanoseconds. */
function timeCode(text: string): string {
  if (!/^-?\d{1,19}$/.test(text)) return JSON.stringify(text);
  const time = BigInt(text);
  const date = new Date(Number(time / 1_000_000n));
  return time % 1_000_000n === 0n ? `new Date("${date.toISOString().replace(".000Z", "Z")}")` : `${time}n`;
}

function jsonCode(value: unknown): Printed {
  if (Array.isArray(value)) return value.map(jsonCode);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonCode(member)]));
}

/**
 * Prints a value on one line if it fits, else each member on a line of its own.
 *
 * @param place - Where on its line the value begins, and how many characters follow it.
 */
function print(value: Printed, place: { column: number; after: number }, indent = ""): string {
  if (typeof value === "string") return value;
  const members = Array.isArray(value)
    ? value.map((member) => ({ label: "", member }))
    : Object.entries(value).map(([name, member]) => ({ label: `${key(name)}:`, member }));
  const [open, close, space] = Array.isArray(value) ? ["[", "]", ""] : ["{", "}", " "];
  if (members.length === 0) return open + close;
  const inner = `${indent}  `;
  const line = members
    .map(({ label, member }) => `${label} ${print(member, { column: 0, after: 0 }, inner)}`.trim())
    .join(", ");
  const whole = open + space + line + space + close;
  if (!whole.includes("\n") && place.column + whole.length + place.after <= width) return whole;
  const lines = members.map(({ label, member }) => {
    const start = label === "" ? inner : `${inner}${label} `;
    const printed = print(member, { column: start.length, after: 1 }, inner);
    // A long text gets a line of its own.
    const isLong = label !== "" && typeof member === "string" && start.length + printed.length + 1 > width;
    return isLong ? `${inner}${label}\n${inner}  ${printed},\n` : `${start}${printed},\n`;
  });
  return `${open}\n${lines.join("")}${indent}${close}`;
}

const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

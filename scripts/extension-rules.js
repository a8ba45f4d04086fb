// @ts-check
/**
 * Lint rules for the `x-` extensions of `openapi.yaml`. `npm run generate` relies on them: a misspelled extension or a name
 * that does not exist would otherwise be ignored. docs/contributing.md defines the extensions.
 *
 * @typedef {import("./description-rules.js").Context} Context
 * @typedef {{ $ref: string }} Reference
 * @typedef {{ name: string, in: string, required?: boolean, "x-unit"?: string, schema?: Schema }} Parameter
 * @typedef {{
 *   type?: unknown, properties?: Record<string, Schema | Reference>, items?: Schema | Reference,
 *   anyOf?: (Schema | Reference)[], required?: string[], enum?: unknown[],
 *   "x-enumNumbers"?: unknown, "x-naturalKey"?: unknown, "x-unit"?: unknown,
 * }} Schema
 * @typedef {{
 *   operationId?: string, parameters?: (Parameter | Reference)[], requestBody?: unknown,
 *   responses?: Record<string, { content?: Record<string, { schema?: Schema | Reference }> }>,
 *   [extension: `x-${string}`]: unknown,
 * }} Operation
 * @typedef {{ name?: unknown, description?: unknown, variants?: unknown }} Group
 */

/** The extensions that each part of the description can have. */
const extensions = {
  Root: ["x-parameterGroups"],
  Operation: [
    "x-parameterGroups",
    "x-atLeastOneOf",
    "x-range",
    "x-rejectedNames",
    "x-defaultPageSize",
    "x-cursors",
    "x-hints",
    "x-sentOnce",
    "x-clientNotes",
    "x-codeSamples",
  ],
  Parameter: ["x-unit"],
  Schema: ["x-enumDescriptions", "x-enumNumbers", "x-naturalKey", "x-unit"],
};

/** A misspelled extension would have no effect. */
function extensionNames() {
  return Object.fromEntries(
    Object.entries(extensions).map(([part, known]) => [
      part,
      /** @param {object} node @param {Context} context */
      (node, { report, location }) => {
        for (const name of Object.keys(node).filter((each) => each.startsWith("x-") && !known.includes(each))) {
          report({
            message: `Extension \`${name}\` of ${part} is unknown. Expected ${known.join(", ")}.`,
            location: location.child([name]).key(),
          });
        }
      },
    ]),
  );
}

/**
 * Parameters with a dotted name become members of one object, which needs a name and a description: in the operation, or
 * in the root for several operations.
 */
function parameterGroups() {
  /** @type {Record<string, Group>} */
  let shared = {};
  /** @type {Map<string, Set<string>>} */
  const used = new Map();

  /** @param {Record<string, Group>} groups @param {Map<string, Set<string>>} members @param {Context} context */
  function check(groups, members, { report, location }) {
    for (const [name, group] of Object.entries(groups)) {
      const problem = problemOfGroup(group, members.get(name));
      const place = location.child(["x-parameterGroups", name]);
      if (problem) report({ message: `Group \`${name}\` of x-parameterGroups ${problem}.`, location: place });
    }
  }

  return {
    Root: {
      /** @param {{ "x-parameterGroups"?: Record<string, Group> }} root */
      enter(root) {
        shared = root["x-parameterGroups"] ?? {};
      },
      /** @param {unknown} _ @param {Context} context */
      leave(_, context) {
        check(shared, used, context);
      },
    },
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, context) {
      const own = /** @type {Record<string, Group>} */ (operation["x-parameterGroups"] ?? {});
      /** @type {Map<string, Set<string>>} */
      const members = new Map();
      for (const { name } of resolveOperation(operation, context).parameters) {
        const [group = "", member, ...others] = name.split(".");
        if (member === undefined) continue;
        const users = group in own ? members : used;
        users.set(group, (users.get(group) ?? new Set()).add(member));
        if (others.length === 0 && (own[group] ?? shared[group])) continue;
        context.report({
          message: `Parameter \`${name}\` needs a group of x-parameterGroups and one name after the dot.`,
          location: context.location.child("parameters"),
        });
      }
      check(own, members, context);
    },
  };
}

/** @param {Group} group @param {Set<string> | undefined} members @returns {string | undefined} */
function problemOfGroup({ name, description, variants = [] }, members) {
  if (!isTypeName(name) || !isText(description)) return "needs a `name` in PascalCase and a `description`";
  if (!members) return "is not used by any parameter";
  const isValid = Array.isArray(variants) && variants.every(isVariant);
  return isValid
    ? undefined
    : "needs `variants` with a `name`, a `description` and `without`, which lists parameters of the group";

  /** @param {{ name?: unknown, description?: unknown, without?: unknown }} variant */
  function isVariant({ name, description, without }) {
    return isTypeName(name) && isText(description) && isListOf(without, (member) => members?.has(member) ?? false);
  }
}

/** @type {(name: string, expected: string, isValid: (value: unknown, operation: ResolvedOperation) => boolean) => () => object} */
const operationRule = (name, expected, isValid) => () => ({
  /** @param {Operation} operation @param {Context} context */
  Operation(operation, context) {
    const value = operation[/** @type {`x-${string}`} */ (name)];
    if (value === undefined || isValid(value, resolveOperation(operation, context))) return;
    context.report({ message: `\`${name}\` needs ${expected}.`, location: context.location.child([name]) });
  },
});

const atLeastOneOf = operationRule(
  "x-atLeastOneOf",
  "at least two items with an optional query parameter of the operation as `parameter`, a `name` in PascalCase and a `description`",
  (value, { parameters }) =>
    Array.isArray(value) &&
    value.length >= 2 &&
    value.every(
      ({ parameter, name, description }) =>
        parameters.some((each) => each.name === parameter && each.in === "query" && !each.required) &&
        isTypeName(name) &&
        isText(description),
    ),
);

const rangeOrder = operationRule(
  "x-range",
  "`start` and `end`, two query parameters of the operation that have `x-unit`",
  (value, { parameters }) =>
    hasMembers(value, ["start", "end"]) &&
    Object.values(value).every((time) =>
      parameters.some(({ name, "x-unit": unit }) => name === time && unit !== undefined),
    ),
);

const rejectedNames = operationRule(
  "x-rejectedNames",
  "for a list: a query parameter with a dotted name as `parameter`, a `member` of the record, and `names`",
  (value, { parameters, record }) =>
    record !== undefined &&
    hasMembers(value, ["parameter", "member", "names"]) &&
    parameters.some(({ name }) => name === value.parameter && name.includes(".")) &&
    value.member in record &&
    isListOf(value.names, isText),
);

/** A list needs a default page size, and nothing else can have one. */
function defaultPageSize() {
  return {
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, context) {
      const size = operation["x-defaultPageSize"];
      const { record } = resolveOperation(operation, context);
      const isValid = record ? Number.isInteger(size) && Number(size) > 0 : size === undefined;
      if (isValid) return;
      context.report({
        message: "A list needs `x-defaultPageSize`, a positive integer; another operation must not have it.",
        location: size === undefined ? context.location.key() : context.location.child(["x-defaultPageSize"]),
      });
    },
  };
}

const cursors = operationRule(
  "x-cursors",
  "for a list: `timeMember`, `missingMember` with `name` and `sha256Of` (members of the record), or the status `rejectedWith`",
  (value, { record }) =>
    record !== undefined &&
    hasMembers(value, [], ["timeMember", "missingMember", "rejectedWith"]) &&
    Object.entries(value).every(([name, fact]) => {
      if (name === "timeMember") return isText(fact);
      if (name === "rejectedWith") return Number.isInteger(fact) && fact >= 400 && fact < 600;
      return (
        hasMembers(fact, ["name", "sha256Of"]) &&
        isText(fact.name) &&
        isListOf(fact.sha256Of, (member) => member in record)
      );
    }),
);

const hints = operationRule(
  "x-hints",
  "`repeatedCursor`, or `rejectedCursor` beside `x-cursors.rejectedWith`: texts for the caller",
  (value, { "x-cursors": facts }) =>
    hasMembers(value, [], ["repeatedCursor", "rejectedCursor"]) &&
    Object.values(value).every(isText) &&
    (!("rejectedCursor" in value) || hasMembers(facts, ["rejectedWith"], ["timeMember", "missingMember"])),
);

const sentOnce = operationRule(
  "x-sentOnce",
  "`true`, on an operation with a request body",
  (value, { requestBody }) => value === true && requestBody !== undefined,
);

const clientNotes = operationRule("x-clientNotes", "a text", isText);

/** The client recognizes a record that it already yielded by its natural key. */
function naturalKey() {
  /** @type {Set<unknown>} */
  const records = new Set();
  return {
    /** @param {Operation} operation @param {Context} context */
    Operation(operation, context) {
      const { recordSchema } = resolveOperation(operation, context);
      if (recordSchema) records.add(recordSchema);
    },
    NamedSchemas: {
      /** @param {Schema} schema @param {Context} context */
      Schema(schema, { report, location }) {
        const { "x-naturalKey": key, properties = {} } = schema;
        if (key === undefined ? !records.has(schema) : isListOf(key, (member) => member in properties)) return;
        report({ message: "The record of a list needs `x-naturalKey`, a list of its properties.", location });
      },
    },
  };
}

/** The client replaces a number by the name in the same place of the enumeration. */
function enumNumbers() {
  return {
    /** @param {Schema} schema @param {Context} context */
    Schema({ enum: names = [], "x-enumNumbers": numbers }, { report, location }) {
      if (numbers === undefined) return;
      const isValid =
        Array.isArray(numbers) &&
        numbers.every((number) => Number.isInteger(number)) &&
        new Set(numbers).size === names.length &&
        numbers.length === names.length;
      if (isValid) return;
      const message = "`x-enumNumbers` needs a different integer for each name of `enum`, in the same order.";
      report({ message, location: location.child(["x-enumNumbers"]) });
    },
  };
}

/** The unit decides the type of an argument, and how the command line prints a member of a record. */
function unit() {
  /** @param {readonly string[]} units */
  const check =
    (units) =>
    /** @param {{ "x-unit"?: unknown }} node @param {Context} context */
    (node, { report, location }) => {
      const value = node["x-unit"];
      if (value === undefined || units.some((unit) => unit === value)) return;
      const names = units.map((unit) => `\`${unit}\``).join(" or ");
      report({ message: `\`x-unit\` needs ${names}.`, location: location.child(["x-unit"]) });
    };
  return { Parameter: check(["unix-nanoseconds"]), Schema: check(["unix-nanoseconds", "smallest-unit"]) };
}

/**
 * @typedef {Omit<Operation, "parameters"> & {
 *   parameters: Parameter[], record: Record<string, unknown> | undefined, recordSchema: Schema | undefined,
 * }} ResolvedOperation An operation with its parameters, and for a list the properties of its record.
 */

/** @param {Operation} operation @param {Context} context @returns {ResolvedOperation} */
function resolveOperation(operation, { resolve }) {
  /** @template T @param {T | Reference | undefined} node @returns {T | undefined} */
  const follow = (node) => /** @type {T | undefined} */ (isReference(node) ? resolve(node).node : node);
  const parameters = (operation.parameters ?? []).flatMap((each) => follow(each) ?? []);
  const body = follow(operation.responses?.["200"]?.content?.["application/json"]?.schema);
  const [page, ...others] = Object.values(body?.properties ?? {}).map(follow);
  const edge = follow(follow(page?.properties?.["edges"])?.items);
  const node = others.length === 0 ? follow(edge?.properties?.["node"]) : undefined;
  const recordSchema = node?.anyOf
    ? follow(/** @type {Schema | Reference | undefined} */ (node.anyOf.find(isReference)))
    : node;
  return { ...operation, parameters, record: recordSchema?.properties, recordSchema };
}

/** @param {unknown} value @returns {value is Reference} */
export function isReference(value) {
  return typeof value === "object" && value !== null && "$ref" in value;
}

/** @param {unknown} value */
function isTypeName(value) {
  return typeof value === "string" && /^[A-Z][A-Za-z0-9]*$/.test(value);
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === "string" && value.trim() !== "";
}

/** @param {unknown} value @param {(item: string) => boolean} isItem */
function isListOf(value, isItem) {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string" && isItem(item));
}

/**
 * Whether a value is an object with all of the required members and no unknown member.
 *
 * @param {unknown} value @param {string[]} required @param {string[]} optional
 * @returns {value is Record<string, any>}
 */
function hasMembers(value, required, optional = []) {
  if (typeof value !== "object" || value === null) return false;
  const names = Object.keys(value);
  return (
    required.every((name) => names.includes(name)) && names.every((name) => [...required, ...optional].includes(name))
  );
}

export const extensionRules = {
  "extension-names": extensionNames,
  "parameter-groups": parameterGroups,
  "at-least-one-of": atLeastOneOf,
  "range-order": rangeOrder,
  "rejected-names": rejectedNames,
  "default-page-size": defaultPageSize,
  cursors,
  hints,
  "sent-once": sentOnce,
  "client-notes": clientNotes,
  "natural-key": naturalKey,
  "enum-numbers": enumNumbers,
  unit,
};

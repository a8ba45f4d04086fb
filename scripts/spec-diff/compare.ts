/** Compares two descriptions, and reports each change once, in a sentence. */
import {
  type Direction,
  type Operation,
  operationsOf,
  type Parameter,
  parametersOf,
  type Response,
  type Schema,
  type Tree,
  typesOf,
  usesOf,
} from "./tree.js";

export type Impact = "major" | "minor" | "patch";

export interface Change {
  impact: Impact;
  /** What changed, such as `Vote.reason` or `GET /api/v2/votes`. */
  subject: string;
  /** How it changed, such as `added`. */
  text: string;
}

/** Keywords that only documentation, samples and hints are made of. */
const documentation =
  /^(?:description|summary|title|examples?|tags|externalDocs|x-enumDescriptions|x-hints|x-clientNotes|x-codeSamples)$/;

/** Extensions that decide which arguments compile. */
const typeExtensions = ["x-parameterGroups", "x-atLeastOneOf", "x-range"];

export function compare(before: Tree, after: Tree): Change[] {
  const changes: Change[] = [];
  /** The operation or the component whose documentation is compared. */
  let part = "";
  const report = (impact: Impact, subject: string, text: string) => {
    const isKnown = changes.some((change) => change.subject === subject && change.text === text);
    if (!isKnown) changes.push({ impact, subject, text });
  };
  compareOperations();
  compareComponents();
  part = "The description";
  compareKeywords(part, rootOf(before), rootOf(after), () => "minor");
  return changes;

  function compareOperations(): void {
    const [old, now] = [operationsOf(before), operationsOf(after)];
    for (const name of old.keys()) if (!now.has(name)) report("major", name, "removed");
    for (const [name, operation] of now) {
      const base = old.get(name);
      part = name;
      if (!base) report("minor", name, "added");
      else compareOperation(name, base, operation);
    }
  }

  function compareOperation(subject: string, old: Operation, now: Operation): void {
    compareParameters(subject, old, now);
    compareBodies(subject, "request body", old.requestBody?.content, now.requestBody?.content, "request");
    const [responses, others] = [old.responses ?? {}, now.responses ?? {}];
    for (const status of Object.keys(responses)) {
      if (!others[status]) report(status === "200" ? "major" : "minor", subject, `response ${status} removed`);
    }
    for (const [status, response] of Object.entries(others)) {
      const base = responses[status];
      if (!base) report("minor", subject, `response ${status} added`);
      else if (!base.$ref && !response.$ref) compareResponse(`${subject}, response ${status}`, base, response);
      else if (base.$ref !== response.$ref) report("minor", subject, `response ${status} changed`);
    }
    const isCompared = (keyword: string) => ["parameters", "requestBody", "responses"].includes(keyword);
    compareKeywords(subject, without(old, isCompared), without(now, isCompared), (keyword, value) =>
      keyword === "operationId" || (typeExtensions.includes(keyword) && value !== undefined) ? "major" : "minor",
    );
  }

  function compareParameters(subject: string, old: Operation, now: Operation): void {
    const [parameters, others] = [parametersOf(old, before), parametersOf(now, after)];
    for (const name of parameters.keys()) if (!others.has(name)) report("major", subject, `${name} removed`);
    for (const [name, parameter] of others) {
      const base = parameters.get(name);
      if (!base) {
        const required = parameter.required === true;
        report(required ? "major" : "minor", subject, `new ${required ? "required" : "optional"} ${name}`);
      } else if (!isShared(before, base) || !isShared(after, parameter)) {
        compareParameter(`${subject}: ${name}`, base, parameter);
      }
    }
  }

  function compareParameter(subject: string, old: Parameter, now: Parameter): void {
    if (old.required !== true && now.required === true) report("major", subject, "now required");
    if (old.required === true && now.required !== true) report("minor", subject, "no longer required");
    compareSchemas(subject, old.schema, now.schema, new Set(["request"]));
    const isCompared = (keyword: string) => ["required", "schema"].includes(keyword);
    compareKeywords(subject, without(old, isCompared), without(now, isCompared), () => "major");
  }

  function compareResponse(subject: string, old: Response, now: Response): void {
    compareBodies(subject, "body", old.content, now.content, "response");
    const [headers, others] = [old.headers ?? {}, now.headers ?? {}];
    for (const name of Object.keys(headers)) if (!(name in others)) report("major", subject, `header ${name} removed`);
    for (const name of Object.keys(others)) if (!(name in headers)) report("minor", subject, `header ${name} added`);
    const isCompared = (keyword: string) => ["content", "headers"].includes(keyword);
    compareKeywords(subject, without(old, isCompared), without(now, isCompared), () => "minor");
  }

  function compareBodies(
    subject: string,
    name: string,
    old: Record<string, { schema?: Schema }> = {},
    now: Record<string, { schema?: Schema }> = {},
    direction: Direction,
  ): void {
    for (const type of Object.keys(old)) if (!now[type]) report("major", subject, `${name} as ${type} removed`);
    for (const [type, { schema = {}, ...content }] of Object.entries(now)) {
      const base = old[type];
      if (!base) {
        report("minor", subject, `${name} as ${type} added`);
        continue;
      }
      const { schema: baseSchema = {}, ...baseContent } = base;
      compareSchemas(`${subject}, ${name} as ${type}`, baseSchema, schema, new Set([direction]));
      compareKeywords(subject, baseContent, content, () => "minor");
    }
  }

  function compareComponents(): void {
    const [uses, others] = [usesOf(operationsOf(before).values(), before), usesOf(operationsOf(after).values(), after)];
    const kept = (tree: Tree, other: Tree) =>
      usesOf(
        [...operationsOf(tree)].filter(([name]) => operationsOf(other).has(name)).map(([, each]) => each),
        tree,
      );
    const { schemas: old = {} } = before.components;
    const { schemas: now = {} } = after.components;
    // What only a new operation uses comes with it, and what only a removed one used goes with it.
    for (const name of kept(before, after).keys()) if (!now[name]) report("major", name, "removed");
    for (const name of kept(after, before).keys()) if (!old[name]) report("minor", name, "added");
    for (const [name, base, schema] of pairsOf(old, now)) {
      part = name;
      compareSchemas(name, base, schema, new Set([...(uses.get(name) ?? []), ...(others.get(name) ?? [])]));
    }
    for (const [, base, parameter] of pairsOf(before.components.parameters, after.components.parameters)) {
      part = `${parameter.in} parameter "${parameter.name}"`;
      compareParameter(part, base, parameter);
    }
    for (const [name, base, response] of pairsOf(before.components.responses, after.components.responses)) {
      part = `response ${name}`;
      compareResponse(part, base, response);
    }
    for (const [name, base, header] of pairsOf(before.components.headers, after.components.headers)) {
      part = `header ${name}`;
      compareKeywords(part, base, header, () => "major");
    }
  }

  function compareSchemas(subject: string, old: Schema, now: Schema, directions: Set<Direction>): void {
    compareTypes(subject, old, now, directions);
    compareItems(subject, old, now, directions);
    compareProperties(subject, old, now, directions);
    const isCompared = (keyword: string) =>
      /^(?:\$ref|type|enum|items|properties|required|anyOf|oneOf|additionalProperties)$/.test(keyword);
    compareKeywords(subject, without(old, isCompared), without(now, isCompared), (_, value) =>
      directions.has("request") && value !== undefined ? "major" : "minor",
    );
  }

  function compareItems(subject: string, old: Schema, now: Schema, directions: Set<Direction>): void {
    if (old.items && now.items) compareSchemas(`${subject}[]`, old.items, now.items, directions);
    const [values, others] = [old.additionalProperties, now.additionalProperties];
    if (typeof values === "object" && typeof others === "object") {
      compareSchemas(`${subject}.*`, values, others, directions);
    }
  }

  function compareTypes(subject: string, old: Schema, now: Schema, directions: Set<Direction>): void {
    const [types, others] = [typesOf(old), typesOf(now)];
    const removed = types.filter((type) => !others.includes(type));
    const added = others.filter((type) => !types.includes(type));
    if (old.enum && now.enum) {
      for (const value of removed) report("major", subject, `${value} removed`);
      for (const value of added) report("minor", subject, `${value} added`);
    } else if (removed.length > 0 || added.length > 0) {
      // A request may accept more, and a response may return less.
      const isBreaking =
        (directions.has("request") && removed.length > 0) || (directions.has("response") && added.length > 0);
      report(
        isBreaking ? "major" : "minor",
        subject,
        `type changed from ${types.join(" or ")} to ${others.join(" or ")}`,
      );
    }
  }

  function compareProperties(subject: string, old: Schema, now: Schema, directions: Set<Direction>): void {
    const [properties, others] = [old.properties ?? {}, now.properties ?? {}];
    const isRequired = (schema: Schema, name: string) => schema.required?.includes(name) ?? false;
    for (const name of Object.keys(properties)) if (!others[name]) report("major", `${subject}.${name}`, "removed");
    for (const [name, property] of Object.entries(others)) {
      const base = properties[name];
      const [was, is] = [isRequired(old, name), isRequired(now, name)];
      if (!base) {
        const breaks = is && directions.has("request");
        report(breaks ? "major" : "minor", `${subject}.${name}`, breaks ? "added, required" : "added");
        continue;
      }
      if (!was && is) report(directions.has("request") ? "major" : "minor", `${subject}.${name}`, "now required");
      if (was && !is) report(directions.has("response") ? "major" : "minor", `${subject}.${name}`, "now optional");
      compareSchemas(`${subject}.${name}`, base, property, directions);
    }
  }

  /** Reports other keywords: those of the documentation together, the others one by one. */
  function compareKeywords(
    subject: string,
    old: object,
    now: object,
    impactOf: (keyword: string, value: unknown) => Impact,
  ): void {
    const values = (keyword: string) =>
      [old, now].map((each) => Object.entries(each).find(([name]) => name === keyword)?.[1]);
    const keywords = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    const changed = keywords.filter((keyword) => {
      const [was, is] = values(keyword);
      return JSON.stringify(was) !== JSON.stringify(is);
    });
    if (changed.some((keyword) => documentation.test(keyword))) report("patch", part, "documentation changed");
    for (const keyword of changed.filter((each) => !documentation.test(each))) {
      const [was, is] = values(keyword);
      report(impactOf(keyword, is), subject, describe(keyword, was, is));
    }
  }
}

function describe(keyword: string, was: unknown, is: unknown): string {
  if (was === undefined) return `${keyword} added`;
  if (is === undefined) return `${keyword} removed`;
  const isShort = [was, is].every((value) => typeof value !== "object" && String(value).length < 80);
  return isShort ? `${keyword} changed from ${JSON.stringify(was)} to ${JSON.stringify(is)}` : `${keyword} changed`;
}

/** A parameter that is a component is compared once, whatever the number of operations that use it. */
const isShared = ({ components }: Tree, parameter: Parameter) =>
  Object.values(components.parameters ?? {}).includes(parameter);

/** What both have, by name. */
const pairsOf = <T>(old: Record<string, T> = {}, now: Record<string, T> = {}) =>
  Object.entries(now).flatMap(([name, value]) => (old[name] ? [[name, old[name], value] as const] : []));

const without = (node: object, isLeftOut: (keyword: string) => boolean) =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => !isLeftOut(keyword)));

/** The sections that are compared as a whole: the title and the rest of `info`, servers and tags are documentation. */
function rootOf({
  info,
  paths: _,
  components: __,
  servers,
  tags,
  openapi: ___,
  security,
  ...extensions
}: Tree): object {
  return { description: [{ ...info, version: undefined }, servers, tags], security, ...extensions };
}

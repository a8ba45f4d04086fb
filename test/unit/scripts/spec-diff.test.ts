import { describe, expect, test } from "vitest";
import { diff, nextVersion } from "../../../scripts/spec-diff/main.js";
import { printMarkdown, printText } from "../../../scripts/spec-diff/print.js";
import { changes, type Description, description, textOf } from "../../support/description-changes.js";

const base = textOf(description());

/** The difference that a change of the description makes. */
function diffOf(make: (description: Description) => void) {
  const changed = description();
  make(changed);
  return diff(base, textOf(changed), "base");
}

describe("a comparison of two descriptions", () => {
  test.each(changes)("reports $what once, with its impact", ({ impact, lines, make }) => {
    const result = diffOf(make);
    expect(printText(result).split("\n").slice(0, lines.length)).toEqual(lines);
    expect(result.changes).toHaveLength(lines.length);
    expect(result.impact).toBe(impact);
  });

  test("reports a change of a parameter that all lists share once", () => {
    const result = diffOf(({ components: { parameters } }) => {
      const { PaginationFirst: first } = parameters;
      if (first) first.schema = { ...first.schema, type: "string" };
    });
    expect(printText(result).split("\n")[0]).toBe(
      'query parameter "pagination.first": type changed from integer to string (breaking)',
    );
    expect(result.changes).toHaveLength(1);
  });

  test("treats a filter that accepts more as compatible, and one that accepts less as breaking", () => {
    const accept = (items: object) => (all: Description) => {
      const parameters = all.paths["/api/v2/balance/changes"]?.["get"]?.parameters ?? [];
      for (const parameter of parameters) if (parameter.name === "filter.accountTypes") parameter.schema.items = items;
    };
    const subject = 'GET /api/v2/balance/changes: query parameter "filter.accountTypes"[]';
    const known = { $ref: "#/components/schemas/AccountType" };
    expect(diffOf(accept(known)).changes).toEqual([
      { impact: "major", subject, text: "type changed from AccountType or string to AccountType" },
    ]);
    expect(diffOf(accept({ anyOf: [known, { type: "string" }, { type: "integer" }] })).changes).toEqual([
      {
        impact: "minor",
        subject,
        text: "type changed from AccountType or string to AccountType or string or integer",
      },
    ]);
  });

  test("leaves out the schemas that only a new or a removed operation uses", () => {
    const { "/api/v2/votes": path } = description().paths;
    const result = diffOf(({ paths }) => {
      delete paths["/api/v2/votes"];
      paths["/api/v2/ballots"] = path ?? {};
    });
    expect(result.changes).toEqual([
      { impact: "major", subject: "GET /api/v2/votes", text: "removed" },
      { impact: "minor", subject: "GET /api/v2/ballots", text: "added" },
    ]);
  });

  test("prints a list for the changelog, with a heading for each impact and the verdict in one sentence", () => {
    const result = diffOf((all) => {
      for (const what of ["a removed response member", "a new response member", "another text of a description"]) {
        changes.find((change) => change.what === what)?.make(all);
      }
    });
    const { version } = description().info;
    expect(printMarkdown(result)).toBe(`### Breaking

- \`PartyProfile.alias\`: removed

### Added and changed

- \`Vote.testMember\`: added

### Documentation

- \`GET /api/v2/votes\`: documentation changed

The changes since base (${version}) are breaking: the next version is ${nextVersion(version, "major")} or later.`);
  });

  test.each([
    ["1.4.2", "major", "2.0.0"],
    ["1.4.2", "minor", "1.5.0"],
    ["1.4.2", "patch", "1.4.3"],
    ["0.4.2", "major", "0.5.0"],
    ["0.4.2", "minor", "0.4.3"],
    ["0.4.2", "none", "0.4.2"],
  ] as const)("requires, after version %s and with the impact %s, version %s", (version, impact, next) => {
    expect(nextVersion(version, impact)).toBe(next);
  });
});

import { createRequire } from "node:module";
import { expect } from "vitest";

/** A family of a parser of the text format that others wrote, which has no types. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "COUNTER" | "GAUGE" | "HISTOGRAM";
  readonly metrics: { readonly labels?: Readonly<Record<string, string>>; readonly value?: string }[];
}
const parse: (text: string) => Family[] = createRequire(import.meta.url)("parse-prometheus-text-format");

/** Reads metrics whose names, units and helps are those of https://prometheus.io/docs/practices/naming. */
export function readMetrics(text: string) {
  const families = parse(text);
  for (const { name, help, type, metrics } of families) {
    expect(name).toMatch(/^vegaprotocol_[a-z]+(?:_[a-z]+)*$/);
    expect(name, "the unit is a base unit").not.toMatch(/_(?:ms|us|ns|minutes|hours)(?:_|$)/);
    expect(name.endsWith("_total"), name).toBe(type === "COUNTER");
    expect(name, "a histogram's unit").toMatch(type === "HISTOGRAM" ? /_seconds$/ : /[a-z]$/);
    expect(help, name).toMatch(/^[A-Z].*\.$/);
    for (const { labels = {} } of metrics) {
      for (const label of Object.keys(labels)) expect(label).toMatch(/^[a-z]+$/);
    }
  }
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length);
  return (name: string) => families.find((each) => each.name === `vegaprotocol_${name}`)?.metrics ?? [];
}

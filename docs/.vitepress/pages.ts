import { readFileSync } from "node:fs";

/** A group of the sidebar. */
export interface Group {
  text: string;
  /** File names without their ending, in reading order. */
  pages: readonly string[];
}

/** The hand-written pages, in reading order. */
export const groups: readonly Group[] = [
  { text: "Start", pages: ["getting-started", "find-a-node", "operations", "testing"] },
  { text: "Read data", pages: ["pagination", "scans", "following", "reports", "validation"] },
  { text: "In production", pages: ["production", "errors", "rate-limits", "several-nodes", "troubleshooting"] },
  { text: "Recipes", pages: ["recipes", "recipes-ui", "recipes-next", "recipes-servers", "from-other-tools"] },
  { text: "Command line and data", pages: ["command-line", "sync", "engines", "serve", "explore"] },
  { text: "Reference", pages: ["compatibility", "guarantees", "performance"] },
  { text: "Project", pages: ["assistants", "contributing", "changelog"] },
];

/** The pages of the API reference: the entries of the package. */
export const entries = [
  "",
  "/pool",
  "/follow",
  "/query",
  "/reports",
  "/validate",
  "/testing",
  "/testing/node",
  "/operations",
].map((path) => `vegaprotocol-client${path}`);

/** The first heading of a page. */
export function titleOf(page: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(new URL(`../${page}.md`, import.meta.url), "utf8")) ?? [];
  if (title === undefined) throw new Error(`Expected docs/${page}.md to have a heading of level 1.`);
  return title;
}

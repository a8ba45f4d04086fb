import { readFileSync } from "node:fs";

/** A group of the sidebar. */
export interface Group {
  text: string;
  /** File names without their ending, in reading order. */
  pages: readonly string[];
}

/** The hand-written pages, in reading order. The operations and the API reference, which are generated, come before the last group. */
export const groups: readonly Group[] = [
  {
    text: "Guide",
    pages: [
      "getting-started",
      "pagination",
      "scans",
      "errors",
      "rate-limits",
      "several-nodes",
      "following",
      "validation",
      "testing",
      "testing-reference",
      "command-line",
      "data",
      "sync",
      "serve",
      "assistants",
    ],
  },
  { text: "Recipes", pages: ["recipes", "recipes-ui", "recipes-live", "recipes-next", "recipes-servers"] },
  { text: "Background", pages: ["compatibility", "open-points", "performance", "guarantees"] },
  { text: "Project", pages: ["contributing", "changelog"] },
];

/** The first heading of a page. */
export function titleOf(page: string): string {
  const [, title] = /^# (.+)$/m.exec(readFileSync(new URL(`../${page}.md`, import.meta.url), "utf8")) ?? [];
  if (title === undefined) throw new Error(`Expected docs/${page}.md to have a heading of level 1.`);
  return title;
}

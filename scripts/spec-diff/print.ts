/** Prints the changes of a description for a terminal and for CHANGELOG.md. */
import type { Change, Impact } from "./compare.js";

/** What has changed, and which version that needs. */
export interface DescriptionDiff {
  base: { name: string; version: string };
  impact: Impact | "none";
  /** The lowest version that the changes need. Without changes, the version of the base. */
  version: string;
  /** Breaking changes first, changes of the documentation last. */
  changes: Change[];
}

const headings: Record<Impact, string> = { major: "Breaking", minor: "Added and changed", patch: "Documentation" };

export function printText(diff: DescriptionDiff): string {
  const lines = diff.changes.map(
    ({ impact, subject, text }) => `${subject}: ${text}${impact === "major" ? " (breaking)" : ""}`,
  );
  return [...lines, ...(lines.length > 0 ? [""] : []), verdictOf(diff)].join("\n");
}

/** A list under a heading for each impact, with the subjects as code. */
export function printMarkdown(diff: DescriptionDiff): string {
  const sections = Object.entries(headings).flatMap(([impact, heading]) => {
    const changes = diff.changes.filter((change) => change.impact === impact);
    return changes.length === 0 ? [] : [`### ${heading}\n\n${changes.map(printItem).join("\n")}\n`];
  });
  return [...sections, verdictOf(diff)].join("\n");
}

const printItem = ({ subject, text }: Change) => `- \`${subject}\`: ${text}`;

function verdictOf({ base, impact, version }: DescriptionDiff): string {
  const since = `since ${base.name} (${base.version})`;
  switch (impact) {
    case "none":
      return `The description has not changed ${since}.`;
    case "major":
      return `The changes ${since} are breaking: the next version is ${version} or later.`;
    case "minor":
      return `The changes ${since} are compatible: the next version is ${version} or later.`;
    case "patch":
      return `The changes ${since} concern documentation only: the next version is ${version} or later.`;
  }
}

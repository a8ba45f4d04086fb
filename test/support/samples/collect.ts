import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { operations } from "../description.js";

export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A code sample of the documentation. */
export interface Sample {
  /** Its file and line, such as `README.md:36`. */
  place: string;
  code: string;
  /** Samples in `tsx` need packages that the project does not have. `test/slow/query` compiles them. */
  language: "ts" | "tsx";
  /** What it prints, if the page shows that right after it. */
  output?: string;
  /** Whether it is run. Samples marked with `no-run` need something that the setting does not have, such as new blocks. */
  runs: boolean;
}

/** The samples of the README, the pages, the docstrings and the description. */
export function collectSamples(): Sample[] {
  const pages = [
    "README.md",
    "skills/vegaprotocol-client/SKILL.md",
    ...list("docs", ".md").filter((file) => dirname(file) === "docs"),
  ].flatMap((file) => fenced(file, read(file)));
  const docstrings = [...list("src", ".ts"), ...list("scripts", ".ts")].flatMap((file) =>
    fenced(file, uncommented(read(file))),
  );
  const described = operations.flatMap(({ operationId, "x-codeSamples": samples }) => {
    const sample = { place: `openapi.yaml, ${operationId}`, language: "ts" as const, runs: true };
    return samples.filter(({ lang }) => lang === "TypeScript").map(({ source: code }) => ({ ...sample, code }));
  });
  return [...pages, ...docstrings, ...described];
}

const read = (file: string) => readFileSync(join(root, file), "utf8");

const list = (folder: string, ending: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !name.includes("node_modules"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);

/** The contents of comments; other lines become blank, so that line numbers stay. */
const uncommented = (text: string) =>
  text
    .split("\n")
    .map((line) => /^\s*\* ?(.*)$/.exec(line)?.[1] ?? "")
    .join("\n");

function fenced(file: string, text: string): Sample[] {
  return [
    ...text.matchAll(/^( *)```(tsx?)(?: twoslash)?( no-run)?\n([\s\S]*?)^ *```$(?:\n\n```text\n([\s\S]*?)^```$)?/gm),
  ].map((match) => {
    const [, indent = "", language, mark, code = "", output] = match;
    const line = text.slice(0, match.index).split("\n").length;
    return {
      place: `${file}:${line}`,
      language: language === "tsx" ? "tsx" : "ts",
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      runs: mark === undefined,
      ...(output !== undefined && { output }),
    };
  });
}

/**
 * Finds words that this project does not use, in sources, pages, the description and the names of tests, and British spellings in
 * every file and in new commit messages. `npm run check -- words` prints each of them with the term to use.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { runScript } from "../run-script.js";
import { findSpellings } from "./spelling.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Phrases, as regular expressions, and the terms to use instead. A space stands for any gap, also between two lines of a comment. */
const phrases: readonly (readonly [phrase: string, use: string])[] = [
  ["right", "correct"],
  ["(?:un)?sound", "reliable, unreliable"],
  ["hand(?:s|ed|ing)? (?:out|in)", "yield, return, pass"],
  ["pages? behind|page ahead|more behind|more ahead", "next page, previous page"],
  ["reads? ahead|read-ahead", "prefetch"],
  ["at hand", "current"],
  ["under way", "in flight"],
  ["(?:give|gives|gave|given|giving) up", "cancelled, aborted"],
  ["stopped", "cancelled, aborted"],
  ["promising", "on transient failures"],
  ["tried again|tries again|try again", "retried, retry"],
  ["told|tells?", "reports, is called with, shows, distinguishes"],
  ["answers?|answered|answering", "response, respond"],
  ["refusals?", "error response, rejected request"],
  ["asked for in parts|halve[sd]?", "split into several requests"],
  ["whoever|somebody|nobody|anybody|who does(?: not)?", "name the actor: the caller, another client"],
  ["unless given|unless told otherwise", '"Default: none"'],
  [", where (?:it|they|that|there) (?:is|are|can|does|do|has|have|works?)", "if"],
  ["what it costs?", "Performance"],
  ["what can go wrong", "Errors and retries"],
  ["under fire", "Timeouts and retries"],
  ["waver(?:s|ed|ing)?", "vary"],
  ["processor's time", "CPU time"],
  ["by hand", "hand-written, manual"],
  ["the house|the rooms|leans? on", "project structure, modules, dependencies"],
  ["in circles?", "infinite loop"],
  ["there (?:is|are) more", "a next page exists"],
  ["(?:gives?|gave) (?:no|a|the) cursor", "returned no cursor, returns a cursor"],
  ["(?:is|are) not what the description says", "does not match the OpenAPI description"],
  ["made[ -]up", "generated"],
  ["astray", "lost, misdirected"],
  ["(?:go|goes|going|went) on", "continue"],
  ["(?:come|comes|came) twice", "repeat"],
  ["good for", "valid for"],
  ["for ever", "forever"],
  ["makes? no sense", "is invalid"],
  ["without a mark", "silently"],
  ["block that (?:has|had) begun", "current block"],
  ["left out beside", "cannot be combined with"],
  ["whatever ends", "the error that ends"],
  ["by (?:the|its) suffix", "inferred from the extension"],
  ["written (?:again|anew)", "rewritten"],
];

/** Names inside of the code. They are also found as a part of a longer name, such as `openTickets`. */
const names: readonly (readonly [name: string, use: string])[] = [
  ["pacer", "rateLimiter"],
  ["tickets?", "permit"],
  ["stop", "cancel"],
  ["exchanges?", "attempt"],
  ["bare", "plain, or name what is missing"],
  ["parts", "segments, requests, subqueries"],
  ["stretch(?:es)?", "segment"],
  ["slots?", "permit, semaphore"],
  ["ties", "records of one block or time"],
];

/** Where a term is allowed. */
export interface Allowance {
  /** The text that may stay, with the term in it. */
  text: string;
  /** The only file. Default: all files. */
  file?: string;
  reason: string;
}

const publicName = "A name of the public surface, which does not change.";

const allowances: readonly Allowance[] = [
  { text: "Answer<", file: "src/http/call.ts", reason: publicName },
  { text: "{ Answer, ", file: "src/index.ts", reason: publicName },
  { text: "unstableTies", reason: publicName },
  { text: "refusals:", reason: publicName },
  { text: "limit.refusals", file: "src/testing/rate-limiter.ts", reason: publicName },
  { text: "{ rate, burst, refusals, ban }", file: "docs/testing.md", reason: publicName },
  { text: '"refusal"', reason: publicName },
  {
    text: "stopped to avoid an infinite loop",
    file: "src/pagination/step.ts",
    reason: "The walk ends itself here; no caller has cancelled it.",
  },
];

const gap = "\\s+(?:(?:\\*|//|#|>)\\s+)?";
const capitalize = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const terms = [
  ...phrases.map(([phrase, use]) => ({
    pattern: new RegExp(`(?<![\\w-])(?:${phrase.replaceAll(" ", gap)})(?![\\w-])`, "gi"),
    use,
  })),
  ...names.map(([name, use]) => ({
    pattern: new RegExp(
      `(?<![A-Za-z])(?:${name}|${capitalize(name)})(?![a-z])|(?<=[a-z])${capitalize(name)}(?![a-z])`,
      "g",
    ),
    use,
  })),
];

/** A term that was found. */
export interface Finding {
  line: number;
  term: string;
  use: string;
}

/** Finds the terms in a text. Calls `onAllowed` for each allowance that applied. */
export function findWords(
  file: string,
  text: string,
  allowed: readonly Allowance[] = allowances,
  onAllowed: (allowance: Allowance) => void = () => {},
): Finding[] {
  const permitted = allowed
    .filter((allowance) => allowance.file === undefined || allowance.file === file)
    .flatMap((allowance) => spansOf(text, allowance.text).map((span) => ({ ...span, allowance })));
  const findings: Finding[] = [];
  for (const { pattern, use } of terms) {
    for (const { 0: term, index } of text.matchAll(pattern)) {
      const span = permitted.find(({ start, end }) => start <= index && index + term.length <= end);
      if (span) onAllowed(span.allowance);
      else findings.push({ line: text.slice(0, index).split("\n").length, term: term.replaceAll(/\s+/g, " "), use });
    }
  }
  return findings.sort((a, b) => a.line - b.line);
}

function spansOf(text: string, part: string): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  for (let start = text.indexOf(part); start !== -1; start = text.indexOf(part, start + 1)) {
    spans.push({ start, end: start + part.length });
  }
  return spans;
}

/** Keeps the names of tests, and makes every other line empty, so that line numbers stay. */
export function testNames(text: string): string {
  const source = ts.createSourceFile("test.ts", text, ts.ScriptTarget.Latest, true);
  const lines = text.split("\n").map(() => "");
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:test|describe|it)\b/.test(node.expression.getText(source))) {
      const [name] = node.arguments;
      if (name && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) {
        const { line } = source.getLineAndCharacterOfPosition(name.getStart(source));
        lines[line] += name.getText(source).replaceAll("\n", " ");
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lines.join("\n");
}

/** Files that are not text, are not written by this project, or have the spellings that are looked for. */
const unspelled =
  /(?:package-lock\.json|go\.sum|requirements\.txt|\.png|\.ico|LICENSE|scripts\/check\/spelling\.ts|spelling\.test\.ts)$/;

/** The messages of commits before are as they are. */
const spelledSince = "2026-11-22T12:00:00Z";

/** British spellings in every file, and in the messages of commits. */
function misspellings(read: (file: string) => string): string[] {
  const log = execFileSync("git", ["log", `--since=${spelledSince}`, "--format=%h %B"], {
    cwd: root,
    encoding: "utf8",
  });
  const texts = [
    ...list(".", /[^/]+$/).flatMap((file) => (unspelled.test(file) ? [] : [[file, read(file)] as const])),
    ["git log", log] as const,
  ];
  return texts.flatMap(([file, text]) =>
    findSpellings(text).map(({ line, word, american }) => `${file}:${line}: "${word}" → use "${american}"`),
  );
}

/** The files of a folder, without what Git ignores: installed packages can link back to the project. */
function list(folder: string, ending: RegExp): string[] {
  return execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z", folder], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\0")
    .filter((name) => ending.test(name) && existsSync(join(root, name)))
    .sort();
}

function main(): void {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "openapi.yaml"];
  const texts = [...pages, ...list("docs", /\.md$/), ...list("src", /\.ts$/), ...list("examples", /\.(?:md|tsx?)$/)];
  const tests = list("test", /\.(?:test|test-d)\.ts$/);
  const used = new Set<Allowance>();
  const findIn = (file: string, text: string) =>
    findWords(file, text, allowances, (allowance) => used.add(allowance)).map(
      ({ line, term, use }) => `${file}:${line}: "${term}" → use "${use}"`,
    );
  const problems = [
    ...texts.flatMap((file) => findIn(file, read(file))),
    ...tests.flatMap((file) => findIn(file, testNames(read(file)))),
    ...misspellings(read),
    ...allowances
      .filter((allowance) => !used.has(allowance))
      .map(({ text }) => `scripts/check/words.ts: nothing needs the allowance for "${text}": remove it`),
  ];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  console.log(`No unwanted words in ${texts.length + tests.length} files.`);
}

await runScript(import.meta.url, main);

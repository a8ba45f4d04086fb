/** As much of markdown-it as is used here. */
interface Token {
  type: string;
  tag: string;
  level: number;
  content: string;
}

interface State<T extends Token> {
  src: string;
  env: { relativePath?: string };
  tokens: T[];
  Token: new (type: string, tag: string, nesting: 0) => T;
}

interface Markdown<T extends Token> {
  core: { ruler: { push(name: string, rule: (state: State<T>) => void): void } };
}

/** A page with a longer source is a long way to scroll on a phone. */
const longest = 5500;

/**
 * Marks what phones show in another way: tables of options, operations and members, whose rows they stack, and the
 * sections of long pages, which they show closed. `phones.css` and `sections.ts` of the theme do that.
 */
export function markForPhones<T extends Token>(markdown: Markdown<T>): void {
  markdown.core.ruler.push("mark-for-phones", (state) => {
    const html = (content: string) => Object.assign(new state.Token("html_block", "", 0), { content });
    if (hasSections(state)) state.tokens = wrapSections(state.tokens, html);
    state.tokens = wrapTables(state.tokens, html);
  });
}

/** The API reference is read at one name, to which a link leads. */
const hasSections = ({ src, env }: State<Token>) =>
  src.length > longest && !/^(?:api\/|index\.md)/.test(env.relativePath ?? "");

type Html<T> = (content: string) => T;

function wrapSections<T extends Token>(tokens: readonly T[], html: Html<T>): T[] {
  const wrapped: T[] = [];
  const largest = tokens.filter(({ type, tag, level }) => type === "heading_open" && tag === "h2" && level === 0);
  // A changelog of one release is divided by subject.
  const sectionTag = largest.length > 1 ? "h2" : "h3";
  let isOpen = false;
  tokens.forEach((token, index) => {
    const isHeading = token.tag === sectionTag && token.level === 0;
    if (isHeading && token.type === "heading_open" && isOpen) {
      wrapped.push(html("</div>\n"));
      isOpen = false;
    }
    wrapped.push(token);
    if (!isHeading || token.type !== "heading_close") return;
    const title = tokens[index - 1]?.content ?? "";
    const label = title
      .replaceAll(/[`*]/g, "")
      .replaceAll("&", "&amp;")
      .replaceAll('"', "&quot;")
      .replaceAll("<", "&lt;");
    wrapped.push(
      html(`<button type="button" class="section-toggle" aria-expanded="false" aria-label="${label}"></button>\n`),
    );
    wrapped.push(html('<div class="section">\n'));
    isOpen = true;
  });
  return isOpen ? [...wrapped, html("</div>\n")] : wrapped;
}

/** What the first column of a table is called if a phone stacks its rows, and the class of its frame. */
const stacked: Readonly<Record<string, string>> = {
  Option: "stacked options",
  Operation: "stacked",
  Parameter: "stacked",
  Record: "stacked",
  Response: "stacked",
  Body: "stacked",
};

function wrapTables<T extends Token>(tokens: readonly T[], html: Html<T>): T[] {
  let frame: string | undefined;
  return tokens.flatMap((token, index) => {
    if (token.type === "table_open") {
      frame = stacked[tokens.slice(index).find(({ type }) => type === "inline")?.content ?? ""];
      return frame === undefined ? [token] : [html(`<div class="${frame}">\n`), token];
    }
    return token.type === "table_close" && frame !== undefined ? [token, html("</div>\n")] : [token];
  });
}

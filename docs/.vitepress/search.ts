import type { Options, SearchOptions } from "minisearch";

/** A part of a page, as VitePress indexes it. */
interface Section {
  text: string;
}

/** As much of markdown-it as is used here. */
interface Markdown<Env> {
  render(source: string, env: Env): string;
}

/**
 * Renders a page for the index. A comment has words of its section that people search for and that its text does not have, or has
 * in another form: `<!-- search: nextjs -->`.
 */
export function renderForSearch<Env>(source: string, env: Env, markdown: Markdown<Env>): string {
  // Tags are removed from what is indexed, comments with them. The hovers of a sample have the documentation of other pages.
  const indexed = source.replaceAll(/^<!-- search: ([^>]+) -->/gm, "⁅$1⁆").replaceAll(/^```(\w+) twoslash/gm, "```$1");
  return markdown.render(indexed, env);
}

/**
 * The fields of a section, and their terms. A comment gives two fields: its phrases, such as "load balancer", and their single words,
 * which count less. VitePress copies the functions as text.
 */
export const indexOptions: Pick<Options, "fields" | "extractField" | "tokenize" | "processTerm"> = {
  fields: ["phrases", "words", "title", "titles", "text"],
  extractField: (section: Section, field: string) => {
    if (field === "phrases" || field === "words") return /⁅([^⁆]+)⁆/.exec(section.text)?.[1] ?? "";
    return field === "text" ? section.text.replace(/⁅[^⁆]+⁆/, "") : section[field as keyof Section];
  },
  // Without a field for a query.
  tokenize: (text, field) => {
    const small =
      /^(?:an?|the|of|to|for|from|in|on|at|is|are|it|does|do|did|i|my|how|what|with|and|or|by|get|use|can|your|there)$/i;
    const termsOf = (phrase: string) => {
      const all = phrase.split(/[\s\p{P}]+/u).filter((word) => word !== "");
      const words = all.filter((word) => !small.test(word));
      return words.length > 0 ? words : all;
    };
    const pairsOf = (words: string[]) => words.slice(1).map((word, index) => `${words[index]} ${word}`);
    if (field === "phrases") {
      const phrases = text.split(/,\s/).map(termsOf);
      return phrases.flatMap((words) => (words.length > 1 ? pairsOf(words) : words));
    }
    const words = termsOf(text);
    return field === undefined || field === "title" ? [...words, ...pairsOf(words)] : words;
  },
  // Without the endings of a plural and of "-ing" and "-ed", so that "caching" finds "cache".
  processTerm: (term) =>
    term
      .toLowerCase()
      .split(" ")
      .map((word) =>
        word
          .replace(/(?<=[a-z]{3})ies$/, "y")
          .replace(/(?<=[a-z]{2}[^aisu\W])s$/, "")
          .replace(/(?<=[a-z]{4})(?:ing|ed)$/, "")
          .replace(/(?<=[a-z]{3})e$/, ""),
      )
      .join(" "),
};

/** How the search ranks pages: the library, the command line and testing, then the reference. VitePress copies the functions as text. */
export const searchOptions: SearchOptions = {
  // A word that no page has leaves the hits of the others.
  combineWith: "OR",
  boost: { phrases: 12, words: 2, title: 4, text: 2, titles: 1 },
  prefix: (term) => !term.includes(" "),
  // A short word has too many neighbors.
  fuzzy: (term) => (term.length > 5 && !term.includes(" ") ? 0.2 : false),
  // Whole words count first: each name of the API reference begins with a word of the guide.
  weights: { prefix: 0.1, fuzzy: 0.1 },
  boostDocument: (id: string, term, section) => {
    const title = String(section?.["title"]);
    if (/\/(?:changelog\.|commands\/)/.test(id)) return 0.2;
    if (/\/(?:index|openapi|guarantees|compatibility|performance|assistants|contributing)\.|\/#/.test(id)) return 0.5;
    const isPage = Array.isArray(section?.["titles"]) && section["titles"].length === 0;
    if (!/\/api\//.test(id)) return isPage ? 2 : 1;
    // A name has capitals inside, unlike a word. The members of a name come after names, unless they are methods.
    const name = title.replace(/\(\)$/, "");
    const isName = name.toLowerCase().startsWith(term) && name.length - term.length < 4;
    if (!isName || !/[a-z][A-Z]/.test(name)) return 0.1;
    return name !== title || name.endsWith("Error") ? 3 : isPage ? 2 : 0.1;
  },
};

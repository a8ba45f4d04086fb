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
  // Tags are removed from what is indexed, comments with them.
  return markdown.render(source.replaceAll(/^<!-- search: ([^>]+) -->/gm, "⁅$1⁆"), env);
}

/** The fields of a section. VitePress copies the function as text. */
export const indexOptions: Pick<Options, "fields" | "extractField"> = {
  fields: ["words", "title", "titles", "text"],
  extractField: (section: Section, field: string) => {
    if (field === "words") return /⁅([^⁆]+)⁆/.exec(section.text)?.[1] ?? "";
    return field === "text" ? section.text.replace(/⁅[^⁆]+⁆/, "") : section[field as keyof Section];
  },
};

/** How the search ranks pages: the library, the command line and testing, then the reference. VitePress copies the functions as text. */
export const searchOptions: SearchOptions = {
  // A word that no page has leaves the hits of the others.
  combineWith: "OR",
  boost: { words: 12, title: 4, text: 2, titles: 1 },
  // A short word has too many neighbors.
  fuzzy: (term) => (term.length > 5 ? 0.2 : false),
  // Whole words count first: each name of the API reference begins with a word of the guide.
  weights: { prefix: 0.1, fuzzy: 0.1 },
  boostDocument: (id: string, term, section) => {
    const title = String(section?.["title"]);
    if (/\/(?:changelog\.|commands\/)/.test(id)) return 0.2;
    if (/\/(?:guarantees|compatibility|performance|assistants|contributing)\./.test(id)) return 0.5;
    const isPage = Array.isArray(section?.["titles"]) && section["titles"].length === 0;
    if (!/\/api\//.test(id)) return isPage ? 2 : 1;
    // A name has capitals inside, unlike a word. The members of a name come after names, unless they are methods.
    const name = title.replace(/\(\)$/, "");
    if (name.toLowerCase() !== term || !/[a-z][A-Z]/.test(name)) return 0.1;
    return name !== title || name.endsWith("Error") ? 3 : isPage ? 2 : 0.1;
  },
};

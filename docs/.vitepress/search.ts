import type { SearchOptions } from "minisearch";

/** How the search ranks pages: the guide, then the operations, then the API reference. VitePress copies the functions as text. */
export const searchOptions: SearchOptions = {
  combineWith: "AND",
  // A short word has too many neighbors.
  fuzzy: (term) => (term.length > 5 ? 0.2 : false),
  // Whole words count first: each name of the API reference begins with a word of the guide.
  weights: { prefix: 0.1, fuzzy: 0.1 },
  boostDocument: (id: string, term, section) => {
    const title = String(section?.["title"]);
    if (/\/changelog\./.test(id) || title === "Read next") return 0.2;
    if (/\/operations\//.test(id)) return 0.5;
    const isPage = Array.isArray(section?.["titles"]) && section["titles"].length === 0;
    if (!/\/api\//.test(id)) return isPage ? 2 : 1;
    // A name has capitals inside, unlike a word. The members of a name come after names, unless they are methods.
    const name = title.replace(/\(\)$/, "");
    if (name.toLowerCase() !== term || !/[a-z][A-Z]/.test(name)) return 0.1;
    return name === title ? (isPage ? 2 : 0.1) : 3;
  },
};

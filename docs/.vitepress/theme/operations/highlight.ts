import { createHighlighterCore, type HighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

export type Language = "ts" | "sh" | "json";

/** Longer texts would keep the page busy. */
const longest = 60_000;
let loaded: Promise<HighlighterCore> | undefined;

/** Code as HTML, in the colors of the other samples. */
export async function highlight(code: string, lang: Language): Promise<string | undefined> {
  if (code.length > longest) return undefined;
  loaded ??= createHighlighterCore({
    themes: [import("shiki/themes/github-light-high-contrast.mjs"), import("shiki/themes/github-dark-default.mjs")],
    langs: [
      import("shiki/langs/typescript.mjs"),
      import("shiki/langs/shellscript.mjs"),
      import("shiki/langs/json.mjs"),
    ],
    engine: createJavaScriptRegexEngine(),
  });
  // As in `config.ts`.
  const themes = { light: "github-light-high-contrast", dark: "github-dark-default" };
  return (await loaded).codeToHtml(code.trimEnd(), {
    lang,
    themes,
    defaultColor: false,
    transformers: [
      {
        pre(element) {
          // The default theme chooses between the colors of both schemes by this class.
          this.addClassToHast(element, "vp-code");
        },
      },
    ],
  });
}

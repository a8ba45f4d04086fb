/** The widths of texts on a terminal: letters of East Asian scripts and emoji take two places, combining characters none. */

/** It takes 10 ms to create, and most commands print no table. */
let segmenter: Intl.Segmenter | undefined;
const isNarrow = /^[\x20-\x7e]*$/;
const wide =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u;

function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
const widthOfGrapheme = (grapheme: string) => (wide.test(grapheme) ? 2 : /^\p{Mark}|^\p{Cf}/u.test(grapheme) ? 0 : 1);

export function widthOf(text: string): number {
  if (isNarrow.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + widthOfGrapheme(grapheme), 0);
}

export function pad(text: string, width: number, where: "start" | "end"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return where === "start" ? space + text : text + space;
}

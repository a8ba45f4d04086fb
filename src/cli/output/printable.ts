/** Characters that would control a terminal: C0, C1, line and paragraph separators, and marks of direction. */
const controls = /\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/gu;
/** Those of them that JSON does not escape. */
const controlsInJson = /[\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}/gu;

/** A text of a node for a terminal. */
export const printable = (text: string): string => text.replaceAll(controls, "�");

/** JSON with the same value for a terminal. */
export const printableJson = (json: string): string =>
  json.replaceAll(controlsInJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** British spellings, and the American ones that this project uses instead. */

/** The beginnings of words whose British form ends in `our`, ends in `ise`, or doubles an `l`. */
const stems = {
  our: "arm behavi col endeav fav flav harb hon hum lab neighb rig rum sav splend vap vig",
  ise: `apolog author capital categor central character critic custom digit emphas equal final formal general initial
    local maxim memor minim modern neutral normal optim organ parallel personal polar priorit random rational real
    recogn sanit serial special stabil standard summar symbol synchron token util virtual visual`,
  ll: "channel counsel fuel label level marshal model panel signal total travel tunnel",
};

const anyOf = (names: string) => `(${names.trim().split(/\s+/).join("|")})`;

/** Ends of words, as regular expressions. */
const spellings = [
  [`${anyOf(stems.our)}our(s|ed|ing|able|al|hood|ite|ites|ful|less)?`, "$1or$2"],
  [`${anyOf(stems.ise)}is(e|ed|es|er|ers|ing|able|ation|ations)`, "$1iz$2"],
  [`${anyOf(stems.ll)}l(ed|ing|er|ers)`, "$1$2"],
  ["(analy|cataly|paraly)s(e|ed|er|ers|ing)", "$1z$2"],
  ["(cent|fib|lit|lust|met|theat)re(s)?", "$1er$2"],
  ["centred", "centered"],
  ["(licen|defen|offen|preten)ce(s|d)?", "$1se$2"],
  ["practis(e|ed|es|ing)", "practic$1"],
  ["(judg|acknowledg)ement(s)?", "$1ment$2"],
  ["(spel)t", "$1led"],
  ["learnt", "learned"],
  ["fulfil(s|ment)?", "fulfill$1"],
  ["(skil|wil)ful", "$1lful"],
  ["(ana|cata)logue(s)?", "$1log$2"],
  ["(among|amid)st", "$1"],
  ["whilst", "while"],
  ["grey(s|ed)?", "gray$1"],
  ["artefact(s)?", "artifact$1"],
  ["programme(s)?", "program$1"],
  ["focuss(ed|es|ing)", "focus$1"],
  ["ageing", "aging"],
].map(([british = "", american = ""]) => [new RegExp(`${british}$`, "i"), american] as const);

/** The American spelling of a word in British spelling; of any other word, `undefined`. */
export function americanOf(word: string): string | undefined {
  const spelling = spellings.find(([british]) => british.test(word));
  return spelling && word.replace(...spelling);
}

/** A word in British spelling. */
export interface Misspelling {
  line: number;
  word: string;
  american: string;
}

/** Finds British spellings, also as a part of a name in camelCase. */
export function findSpellings(text: string): Misspelling[] {
  return text.split("\n").flatMap((line, index) =>
    [...line.matchAll(/[A-Z]?[a-z]+/g)].flatMap(([word]) => {
      const american = americanOf(word);
      return american === undefined ? [] : [{ line: index + 1, word, american }];
    }),
  );
}

/**
 * One side of a row: the word on the other side, or an object when the way there loses something.
 * `to: null` means that the other side has no word at all: a look-up answers "unknown", never a guess.
 */
export type Word<To extends string> = To | { readonly to: To | null; readonly loses: string };

export type Words<From extends string, To extends string> = Readonly<Record<From, Word<To>>>;

/** What a look-up answers. `known: false` keeps the raw word; the caller decides, and it is never a success. */
export type Found<To extends string> =
  | { readonly known: true; readonly word: To; readonly loses: string | undefined }
  | { readonly known: false; readonly raw: string; readonly loses: string | undefined };

export interface WordTable<Harn extends string, Foreign extends string> {
  readonly toForeign: Words<Harn, Foreign>;
  readonly fromForeign: Words<Foreign, Harn>;
  /** Other spellings taken in, never sent. */
  readonly aliases: Readonly<Record<string, Foreign>>;
  /** The foreign word of a Harn word. */
  encode(word: Harn): Found<Foreign>;
  /** The Harn word of any text that arrived. */
  decode(text: string): Found<Harn>;
}

type Target<Entry> = Entry extends string ? Entry : Entry extends { readonly to: infer To } ? To : never;

/** A row that does not lead back to its own word must say what it loses. */
type Confessed<There, Back> = {
  readonly [From in keyof There]: Target<There[From]> extends keyof Back
    ? Target<Back[Target<There[From]>]> extends From
      ? There[From]
      : There[From] & { readonly loses: string }
    : There[From] & { readonly loses: string };
};

/**
 * Declares a table of words that is total both ways: a word without a row, a target that does not exist and a row that
 * silently loses something do not compile. Call it as `wordTable<HarnWord, ForeignWord>()({ toForeign, fromForeign })`.
 */
export function wordTable<Harn extends string, Foreign extends string>() {
  return <const Out extends Words<Harn, Foreign>, const In extends Words<Foreign, Harn>>(rows: {
    toForeign: Out & Confessed<Out, In>;
    fromForeign: In & Confessed<In, Out>;
    aliases?: Readonly<Record<string, Foreign>>;
  }): WordTable<Harn, Foreign> => {
    const aliases = rows.aliases ?? {};
    return {
      toForeign: rows.toForeign,
      fromForeign: rows.fromForeign,
      aliases,
      encode: (word) => lookUp(rows.toForeign, word),
      decode: (text) => {
        const spelled = Object.hasOwn(aliases, text) ? (aliases[text] ?? text) : text;
        const found = lookUp<Harn>(rows.fromForeign, spelled);
        return found.known ? found : { ...found, raw: text };
      },
    };
  };
}

function lookUp<To extends string>(words: Readonly<Record<string, Word<To>>>, text: string): Found<To> {
  const word = Object.hasOwn(words, text) ? words[text] : undefined;
  if (word === undefined) return { known: false, raw: text, loses: undefined };
  if (typeof word === 'string') return { known: true, word, loses: undefined };
  if (word.to === null) return { known: false, raw: text, loses: word.loses };
  return { known: true, word: word.to, loses: word.loses };
}

import type { JsonValue } from './json.ts';

declare const CLEAN: unique symbol;

/** A text without secrets: the redactor read it, it comes from the log, or the gateway made it. No plain string is one. */
export type CleanText = string & { readonly [CLEAN]: true };

/** A JSON value whose texts are all clean. */
export type CleanJson = CleanText | number | boolean | null | CleanJson[] | CleanObject;
export interface CleanObject {
  [name: string]: CleanJson;
}

/** The same shape with every text clean. Words of a closed list (`'user' | 'agent'`), numbers and booleans are so already. */
export type Clean<T> = JsonValue extends T ? CleanJson : CleanMember<T>;

type CleanMember<T> = T extends string
  ? IsOpen<T> extends true
    ? CleanText
    : T
  : T extends number | boolean | null | undefined
    ? T
    : T extends object
      ? { [Name in keyof T]: Clean<T[Name]> }
      : never;

/** True for `string` and for patterns of it, false for a word of a closed list. */
type IsOpen<T extends string> = Record<never, never> extends Record<T, unknown> ? true : false;

/** What came in, as it was sent and as the log may have it: the very same object where there was nothing to hide. */
export interface Received<T> {
  sent: T;
  clean: Clean<T>;
}

/** A clean shape as the JSON object that it is; the shape is named, not inferred: asCleanObject<Part>(part). */
export function asCleanObject<Shape>(value: Clean<Shape>): CleanObject {
  return value as unknown as CleanObject;
}

export function isCleanObject(value: CleanJson | undefined): value is CleanObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value that the redactor has read, with what it found taken out. Only the redactor calls it. */
export function readByRedactor<T>(value: T): Clean<T> {
  return value as Clean<T>;
}

/** A value of what is in the log: it went through a door when it came in. */
export function fromLog<T>(value: T): Clean<T> {
  return value as Clean<T>;
}

/** A text that the gateway makes by itself, of nothing that came in: an id that it draws, a hash, a time, its version. */
export function own(text: string): CleanText {
  return text as CleanText;
}

/** A word that stands in the code. The compiler refuses a text that is known only when it runs. */
export function word<const Word extends string>(
  literal: IsOpen<Word> extends true ? never : Word,
): CleanText {
  return own(literal);
}

/** A sentence of the code about clean texts: sentence`The agent of ${route} failed.` */
export function sentence(words: TemplateStringsArray, ...texts: readonly (CleanText | number)[]): CleanText {
  return own(String.raw({ raw: words }, ...texts));
}

/** A piece of a clean text, from a character up to another. */
export function pieceOf(text: CleanText, from: number, to?: number): CleanText {
  return own(text.slice(from, to));
}

/** Clean texts, each on lines of its own. */
export function linesOf(texts: readonly CleanText[]): CleanText {
  return own(texts.join('\n'));
}

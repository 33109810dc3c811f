/** Typing errors that a word may have and still be meant; none in a word of two characters. */
const mostErrors = (word: string) => Math.min(3, Math.floor(word.length / 2.5));

/** Words that a mistyped one may stand for, the nearest first; empty when it is like none of them. */
export function nearest(typed: string, words: Iterable<string>): string[] {
  const near = [...new Set(words)].map((word) => ({ word, errors: errorsBetween(typed, word) }));
  return near
    .filter(({ word, errors }) => errors <= mostErrors(word))
    .sort((one, other) => one.errors - other.errors)
    .map(({ word }) => word);
}

/** Letters left out, put in, replaced, or exchanged with their neighbour (optimal string alignment). */
function errorsBetween(typed: string, word: string): number {
  const rows: number[][] = [Array.from({ length: word.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= typed.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= word.length; j += 1) {
      const at = (up: number, left: number) => rows[i - up]?.[j - left] ?? 0;
      const replaced = at(1, 1) + (typed[i - 1] === word[j - 1] ? 0 : 1);
      const isExchange = i > 1 && j > 1 && typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1];
      const exchanged = isExchange ? at(2, 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(1, 0) + 1, (row[j - 1] ?? 0) + 1, replaced, exchanged));
    }
    rows.push(row);
  }
  return rows[typed.length]?.[word.length] ?? 0;
}

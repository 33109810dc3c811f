const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
/** A line of a key has letters and digits in a row, whatever a logger writes before them; its headers are named. */
const OF_A_KEY = /[A-Za-z0-9+/=]{16}|^\s*$|\b(?:Proc-Type|DEK-Info|Version|Comment|Hash): /;
/** The last line of a key may be short. */
const SHORT_END = /^[A-Za-z0-9+/=]{1,15}$/;
const HIDDEN = '[redacted]';

/**
 * Hides the lines of private keys (PEM) in text that comes line by line: a line by itself does not show what it is. What stands
 * around a key is kept; a key without an end ends at the first line that cannot be of one.
 */
export class KeyBlocks {
  #isInside = false;
  /** What stands before the key in its first line, and perhaps before all. */
  #prefix = '';

  /** The next line, without what of it belongs to a key. */
  clean(line: string): string {
    return this.#isInside ? this.#inside(line) : this.#outside(line);
  }

  #inside(line: string): string {
    const end = END.exec(line);
    if (end !== null) {
      this.#isInside = false;
      return `${end[0]}${this.#outside(line.slice(end.index + end[0].length))}`;
    }
    const prefix = this.#prefix.trimEnd();
    const own = line.startsWith(prefix) ? line.slice(prefix.length) : line;
    this.#isInside = OF_A_KEY.test(own) || SHORT_END.test(own.trim());
    return this.#isInside ? HIDDEN : this.#outside(line);
  }

  #outside(line: string): string {
    const begin = BEGIN.exec(line);
    if (begin === null) return line;
    const behind = begin.index + begin[0].length;
    const rest = line.slice(behind);
    const kept = line.slice(0, behind);
    this.#isInside = true;
    this.#prefix = line.slice(0, begin.index);
    if (rest.trim() === '') return kept;
    const end = END.exec(rest);
    if (end === null) return `${kept}${HIDDEN}`;
    this.#isInside = false;
    return `${kept}${HIDDEN}${end[0]}${this.#outside(rest.slice(end.index + end[0].length))}`;
  }
}

import { PatternScanner } from './pattern-scanner.ts';
import { SHAPES } from './patterns.ts';

/** Any character can be spelled with it, so that the text is not what it looks like. */
const ESCAPE = '\\u';

/** Finds texts that hold what can only be a secret: a token by its shape, not by what stands beside it. */
export class SecretMarkers {
  readonly #scanner = new PatternScanner(SHAPES);

  /** The kind of the first secret of a text, such as `github_token`; undefined for a text without one. */
  find(text: string): string | undefined {
    return this.#scanner.scan(text).hits[0]?.name;
  }

  /** Whether JSON text may hold one in any of its texts or names; it does not matter where they begin and end. */
  mayBeIn(json: string): boolean {
    return json.includes(ESCAPE) || this.#scanner.suggests(json);
  }
}

import { RE2JS } from 're2js';

/** A pattern as ajv calls it. */
interface Pattern {
  test(text: string): boolean;
  /** Tells patterns apart: ajv compiles two of the same text once. */
  toString(): string;
}

/** A pattern of more code points is no schema but an attack. */
const MAX_PATTERN_LENGTH = 2_000;

/** A member that only a backtracking engine could judge is left to the server, which checks its input itself. */
const LEFT_TO_SERVER: Pattern = { test: () => true, toString: () => 'left to the server' };

/**
 * The engine for `pattern` and `patternProperties` of schemas that come from servers, run on text that comes from callers:
 * linear in both, so neither can make the gateway think for long. Look-around and back references are not linear; they, and
 * what is no pattern at all, hold for everything.
 */
export const linearPatterns = Object.assign(
  (pattern: string): Pattern => {
    if (pattern.length > MAX_PATTERN_LENGTH) return LEFT_TO_SERVER;
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
      return { test: (text) => compiled.test(text), toString: () => `linear ${pattern}` };
    } catch {
      return LEFT_TO_SERVER;
    }
  },
  // Named in generated code only, which the gateway never writes out.
  { code: 'linearPatterns' },
);

/** Longest number token read: real doubles need fewer than 800 digits; more is an attack or an exact-decimal type. */
const MAX_NUMBER_LENGTH = 1024;
/** From here on JavaScript writes integers with an exponent, so they cannot be mistaken for exact ones. */
const EXPONENT_SPELLING_FROM = 1e21;

/**
 * Whether a number token survives reading and canonical writing: finite, and no integer beyond 2^53 in digits.
 * `1e300` is a measurement and passes; `9007199254740993` and `1e20` (written back as digits) do not.
 * Malformed tokens pass, JSON.parse refuses them.
 */
export function isExactNumber(token: string): boolean {
  if (token.length > MAX_NUMBER_LENGTH) return false;
  const value = Number(token);
  if (Number.isNaN(value)) return true;
  if (!Number.isFinite(value)) return false;
  const size = Math.abs(value);
  if (size <= Number.MAX_SAFE_INTEGER) return true;
  return size >= EXPONENT_SPELLING_FROM && /[.eE]/.test(token);
}

import type { JsonValue } from '#protocol/json.ts';

/** Stands for a whole value that is secret because of its name. */
export const PLACEHOLDER = '[redacted]';

export type RedactionClass = 'sensitive_field' | 'secret_pattern';

/** One replacement, in the words of a session bundle's `redaction.entries`. */
export interface RedactionHit {
  /** Where, relative to the value given: `payload.parts[0].text`; empty for the value itself. */
  path: string;
  class: RedactionClass;
  /** The rule that found it, such as `github_token`; the member name rule is `secret_name`. */
  name: string;
  /** What stands there now. */
  replacement: string;
}

/** A value without its secrets; the very same object, and no hits, when there was nothing to hide. */
export interface Redaction<T extends JsonValue = JsonValue> {
  value: T;
  hits: readonly RedactionHit[];
}

/** A replacement inside one string. */
export interface TextHit {
  name: string;
  replacement: string;
}

export interface TextRedaction {
  text: string;
  hits: readonly TextHit[];
}

/** `<redacted:NAME:UTF8BYTES>`, the size being that of what was hidden. */
export function marker(name: string, secret: string): string {
  return `<redacted:${name}:${Buffer.byteLength(secret)}>`;
}

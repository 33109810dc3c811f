import { parseStrict } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';

/** Longer tokens are refused before anything of them is decoded. */
const MAX_TOKEN_CHARS = 8_192;
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Header members that let a token bring or point at its own key, or change what is signed. None is ever followed.
 * Spec: RFC 8725, section 3.10; RFC 7797.
 */
const REFUSED_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'] as const;

/** What a token says of itself; nothing of it is believed yet. */
export interface UnverifiedToken {
  header: JsonObject;
  claims: JsonObject;
}

/** True for a text in the form of a signed token, so that keys of other kinds are not taken for one. */
export function looksLikeToken(text: string): boolean {
  return text.length <= MAX_TOKEN_CHARS && COMPACT_JWS.test(text);
}

/** Decodes a token strictly; undefined for anything that readers might understand differently. */
export function readToken(token: string): UnverifiedToken | undefined {
  const read = readJws(token);
  if (read === undefined) return undefined;
  return REFUSED_MEMBERS.some((name) => Object.hasOwn(read.header, name)) ? undefined : read;
}

/** The same for a JWT that may name its own key, as a proof of possession does. */
export function readJws(jws: string): UnverifiedToken | undefined {
  if (!looksLikeToken(jws)) return undefined;
  const [head = '', body = '', signature = ''] = jws.split('.');
  if (![head, body, signature].every(isSpelledWell)) return undefined;
  const header = objectOf(head);
  const claims = objectOf(body);
  return header === undefined || claims === undefined ? undefined : { header, claims };
}

/** One token has one spelling: bits that no byte takes are not ignored. */
function isSpelledWell(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function objectOf(part: string): JsonObject | undefined {
  try {
    const value: JsonValue = parseStrict(Buffer.from(part, 'base64url'), { maxBytes: MAX_TOKEN_CHARS });
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}

import { parseStrict } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';

/** Longer headers are no key and no token of ours; refusing them early bounds the hashing. */
const MAX_HEADER_CHARS = 8_448;
const CREDENTIALS = /^(bearer|dpop) +([!-~]+)$/i;

/** What an Authorization header carries; nothing of it is believed yet. */
export interface SentCredential {
  scheme: 'Bearer' | 'DPoP';
  token: string;
}

/** The credential of an Authorization header, or undefined for anything else. Spec: RFC 6750, section 2.1; RFC 9449, section 7.1. */
export function sentCredential(authorization: string | undefined): SentCredential | undefined {
  if (authorization === undefined || authorization.length > MAX_HEADER_CHARS) return undefined;
  const [, scheme = '', token = ''] = CREDENTIALS.exec(authorization) ?? [];
  if (token === '') return undefined;
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token };
}

/** The token of a Bearer header, or undefined for anything else. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const sent = sentCredential(authorization);
  return sent?.scheme === 'Bearer' ? sent.token : undefined;
}

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

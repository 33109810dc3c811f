import type { FaceExchange } from '#face.ts';
import type { Version } from '../../../mappings/a2a/encode-task.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';
import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';
import type { Addressed } from './agents.ts';

export const VERSION_HEADER = 'A2A-Version';
export const EXTENSIONS_HEADER = 'A2A-Extensions';
const LEGACY_EXTENSIONS_HEADER = 'X-A2A-Extensions';
const MAX_EXTENSIONS = 32;

/** What a request says about itself before its method is known. */
export interface Negotiated {
  version: Version;
  /** URIs the client asked for. */
  requested: readonly string[];
  /** The client reads the Harn extension. */
  extended: boolean;
}

/**
 * Version and extensions of a request. No version is 0.3; the patch number says nothing. Throws VersionNotSupported.
 * Spec: A2A 1.0, 3.6.2 and 3.2.6.
 */
export function negotiate(exchange: FaceExchange): Negotiated {
  const version = versionOf(exchange);
  const name = version === '1.0' ? EXTENSIONS_HEADER : LEGACY_EXTENSIONS_HEADER;
  const header = exchange.headers[name.toLowerCase()];
  const listed = typeof header === 'string' ? header.split(',').map((uri) => uri.trim()) : [];
  const requested = [...new Set(listed.filter((uri) => uri !== ''))].slice(0, MAX_EXTENSIONS);
  return { version, requested, extended: requested.includes(HARN_EXTENSION) };
}

/** The header that tells which of the extensions asked for are used. */
export function activated(
  { version, requested }: Negotiated,
  { behind }: Pick<Addressed, 'behind'>,
): string[] {
  const theirs = behind?.description?.extensions?.map(({ uri }) => uri) ?? [];
  const offered = [HARN_EXTENSION, ...theirs];
  const used = requested.filter((uri) => offered.includes(uri));
  if (used.length === 0) return [];
  return [version === '1.0' ? EXTENSIONS_HEADER : LEGACY_EXTENSIONS_HEADER, used.join(', ')];
}

const WORDS: Readonly<Record<string, Version>> = { '': '0.3', '0.3': '0.3', '1.0': '1.0' };

function versionOf({ headers, query }: FaceExchange): Version {
  const sent = headers[VERSION_HEADER.toLowerCase()] || query[VERSION_HEADER] || '';
  const [, short] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(String(sent).trim()) ?? [];
  const version = WORDS[short ?? String(sent).trim()];
  if (version !== undefined) return version;
  throw refusal('VersionNotSupported', 'Send A2A-Version: 1.0, or 0.3.', VERSION_HEADER);
}

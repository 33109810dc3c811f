import { createHash, type Hash } from 'node:crypto';
import { canonicalJson } from '#json/canonical.ts';
import {
  KeySetError,
  keysOfJwks,
  type VerificationKeys,
  verifySignature,
} from '#receipts/verification-keys.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { BundleFile, Span } from './bundle-file.ts';
import { firstChanged, manifestSchema, type Sections, SIGNED_SECTIONS, signedBytes } from './manifest.ts';
import { atOnce, inTurns, type Steps, type Turn } from './paced.ts';
import { decoded } from './validate-bundle.ts';

/** Whose signature a manifest has: of a key that was known before, or one that the bundle brings itself. */
export interface ManifestFinding {
  by: 'known_key' | 'brought_key';
  keyId: string;
}

const PREFIX = 'base64:';

/**
 * Checks the signed hashes of a bundle against what is there. Undefined for a bundle without a manifest; throws
 * InvalidBundleError when a section was changed, or the signature is not that of the key it names.
 */
export function verifyManifest(file: BundleFile, known: VerificationKeys): ManifestFinding | undefined {
  return atOnce(verification(file, known));
}

/** The same, where others want their turn in between. */
export function verifyManifestInTurns(
  file: BundleFile,
  known: VerificationKeys,
  turn: Turn,
): Promise<ManifestFinding | undefined> {
  return inTurns(verification(file, known), turn);
}

function* verification(file: BundleFile, known: VerificationKeys): Steps<ManifestFinding | undefined> {
  const span = file.find('metadata', SIGNED_SECTIONS);
  if (span === undefined) return undefined;
  const manifest = decoded(manifestSchema, file.parse(span), `$.metadata.${SIGNED_SECTIONS}`);
  const changed = firstChanged(manifest, yield* hashesOf(file));
  if (changed !== undefined) throw tampered(`$.${changed}`, `the section ${changed} is not what was signed`);
  const by = known.has(manifest.key_id) ? 'known_key' : 'brought_key';
  const keys = by === 'known_key' ? known : broughtKeys(file);
  const { signature, ...content } = manifest;
  const verdict = verifySignature(keys, {
    keyId: manifest.key_id,
    bytes: signedBytes(content),
    signature: signature.slice(PREFIX.length),
    timesMs: [Date.parse(manifest.signed_at)],
  });
  if (verdict !== 'ok')
    throw tampered(`$.metadata.${SIGNED_SECTIONS}`, `the signature of the manifest: ${verdict}`);
  return { by, keyId: manifest.key_id };
}

/** The public keys that a bundle brings: they prove that it is whole, not whose it is. */
export function broughtKeys(file: BundleFile): VerificationKeys {
  const span = file.find('metadata', 'signing_keys');
  if (span === undefined) return new Map();
  try {
    return keysOfJwks(file.parse(span));
  } catch (error) {
    if (!(error instanceof KeySetError)) throw error;
    throw tampered('$.metadata.signing_keys', `signing_keys: ${error.message}`);
  }
}

function* hashesOf(file: BundleFile): Steps<Sections> {
  const found: Record<string, string> = {};
  for (const [name, span] of file.members(file.root))
    found[name] = yield* hashOf(file, span, name === 'metadata');
  return found;
}

/** Hash of the RFC 8785 form of a value of any size; of the metadata without the manifest. */
function* hashOf(file: BundleFile, span: Span, isMetadata: boolean): Steps<string> {
  const hash = createHash('sha256');
  if (isMetadata) yield* hashMembers(file, span, hash, SIGNED_SECTIONS);
  else yield* hashValue(file, span, hash);
  return `sha256:${hash.digest('hex')}`;
}

/** Adds the RFC 8785 form of a value of any size. */
export function* hashValue(file: BundleFile, span: Span, hash: Hash): Steps<void> {
  const isSmall = file.isSmall(span);
  if (!isSmall && file.isObject(span)) yield* hashMembers(file, span, hash);
  else if (!isSmall && file.isList(span)) yield* hashItems(file, span, hash);
  else {
    hash.update(canonicalJson(file.parse(span)));
    yield span.end - span.start;
  }
}

function* hashMembers(file: BundleFile, span: Span, hash: Hash, without?: string): Steps<void> {
  const members = [...file.members(span)].filter(([name]) => name !== without);
  let open = '{';
  for (const [name, value] of members.sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${open}${JSON.stringify(name)}:`);
    yield* hashValue(file, value, hash);
    open = ',';
  }
  hash.update(open === '{' ? '{}' : '}');
}

function* hashItems(file: BundleFile, span: Span, hash: Hash): Steps<void> {
  let open = '[';
  for (const group of file.groups(span)) {
    const { start, end } = group.span;
    hash.update(open);
    if (!file.isSmall(group.span)) yield* hashValue(file, group.span, hash);
    else {
      hash.update(canonicalJson(file.readItems(group).value).slice(1, -1));
      yield end - start;
    }
    open = ',';
  }
  hash.update(open === '[' ? '[]' : ']');
}

function tampered(path: string, why: string): InvalidBundleError {
  return new InvalidBundleError('manifest', path, why);
}

import { createHash } from 'node:crypto';
import { canonicalJson, spellings } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { atIndex, atMember } from './json-path.ts';
import { type Manifest, type Sections, SIGNED_SECTIONS } from './manifest.ts';
import type { BundleRedaction } from './redact-bundle.ts';

type Listed<Item> = () => AsyncIterable<Item> | Iterable<Item>;

/** A list whose items are read while it is written, so that the bundle is never held as a whole. */
export class Streamed {
  readonly items: Listed<JsonValue>;
  /** How many there are, where that is known before. */
  readonly count: number | undefined;

  constructor(items: Listed<JsonValue>, count?: number) {
    this.items = items;
    this.count = count;
  }
}

/** The same for items that may hold streamed lists. */
export class Trees {
  readonly items: Listed<Tree>;

  constructor(items: Listed<Tree>) {
    this.items = items;
  }
}

/** A member that was redacted or is written as it is, as RFC 8785 text. */
type PlainMember = [name: string, text: AsyncIterable<string> | string];

/** JSON in which lists may be streamed. */
export type Tree = JsonValue | Streamed | Trees | { [name: string]: Tree };

/** A bundle before its redaction. `metadata` is written last: it holds the hashes of all before it. */
export interface BundleTree {
  sections: { [name: string]: Tree };
  /** Goes through the redaction like a section. */
  metadata: JsonObject;
  /** Canonical bytes of receipts: never touched. Empty for a run that has none. */
  receipts: Streamed | undefined;
  /** Public keys of the receipts and of the manifest. */
  signingKeys: JsonObject | undefined;
}

/**
 * A piece of the text, and what the manifest hashes for it: the RFC 8785 form. Items of streamed lists keep the order of their
 * members, because content may be hashed in the order in which it came.
 */
interface Written {
  text: string;
  canonical: string;
}

/**
 * Writes a bundle as JSON text, piece by piece; its memory is that of one item and of the replacements that are held. The
 * manifest has the hash of every section, over its RFC 8785 form. `rules`: members of the section `redaction` beside its entries.
 */
export async function* writeBundle(
  tree: BundleTree,
  redaction: BundleRedaction,
  rules: JsonObject,
  sign: ((sections: Sections) => Manifest) | undefined,
): AsyncGenerator<string, void> {
  try {
    const hashes = yield* writeSections(tree.sections, redaction);
    const metadata = createHash('sha256');
    let held = '';
    for await (const text of metadataOf(tree, redaction)) {
      yield* held === '' ? [',"metadata":'] : [held];
      metadata.update(text);
      held = text;
    }
    const redactionHash = createHash('sha256');
    for await (const text of redactionOf(redaction, rules)) redactionHash.update(text);
    hashes['redaction'] = `sha256:${redactionHash.digest('hex')}`;
    hashes['metadata'] = `sha256:${metadata.digest('hex')}`;
    yield sign === undefined ? held : withManifest(held, sign(hashes));
    yield ',"redaction":';
    yield* redactionOf(redaction, rules);
    yield '}\n';
  } finally {
    await redaction.entries.close();
  }
}

/** Returns the hash of every section. */
async function* writeSections(
  sections: BundleTree['sections'],
  redaction: BundleRedaction,
): AsyncGenerator<string, Record<string, string>> {
  const hashes: Record<string, string> = {};
  let open = '{';
  for (const name of Object.keys(sections).sort()) {
    const hash = createHash('sha256');
    yield `${open}${JSON.stringify(name)}:`;
    open = ',';
    for await (const { text, canonical } of write(sections[name] ?? null, `$.${name}`, redaction)) {
      hash.update(canonical);
      yield text;
      if (redaction.entries.isFull) await redaction.entries.settle();
    }
    hashes[name] = `sha256:${hash.digest('hex')}`;
  }
  return hashes;
}

/** The text of the metadata up to the brace that closes it, which goes on with one more member. */
function withManifest(last: string, manifest: Manifest): string {
  const before = last.slice(0, -1);
  const comma = before.endsWith('{') ? '' : ',';
  return `${before}${comma}"${SIGNED_SECTIONS}":${canonicalJson(manifest as unknown as JsonValue)}}`;
}

async function* metadataOf(tree: BundleTree, redaction: BundleRedaction): AsyncGenerator<string> {
  const { metadata, receipts, signingKeys } = tree;
  const members = Object.entries(metadata).map(([name, value]): PlainMember => {
    const [shown, clean] = redaction.member('$.metadata', name, value);
    return [shown, canonicalJson(clean)];
  });
  if (receipts) members.push(['receipts', plainList(textsOf(receipts))]);
  if (signingKeys) members.push(['signing_keys', canonicalJson(signingKeys)]);
  yield* plainMembers(members);
}

function redactionOf({ entries }: BundleRedaction, rules: JsonObject): AsyncGenerator<string> {
  const members: PlainMember[] = Object.entries(rules).map(([name, value]) => [name, canonicalJson(value)]);
  return plainMembers([...members, ['entries', plainList(entries.sorted())]]);
}

async function* plainMembers(members: readonly PlainMember[]): AsyncGenerator<string> {
  let open = '{';
  for (const [name, text] of [...members].sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield `${open}${JSON.stringify(name)}:`;
    open = ',';
    if (typeof text === 'string') yield text;
    else yield* text;
  }
  yield open === '{' ? '{}' : '}';
}

async function* textsOf({ items }: Streamed): AsyncGenerator<string> {
  for await (const item of items()) yield canonicalJson(item);
}

async function* plainList(items: AsyncIterable<string>): AsyncGenerator<string> {
  let open = '[';
  for await (const item of items) {
    yield open + item;
    open = ',';
  }
  yield open === '[' ? '[]' : ']';
}

/** The text of a tree, redacted. */
async function* write(tree: Tree, path: string, redaction: BundleRedaction): AsyncGenerator<Written> {
  if (tree instanceof Streamed) yield* writeList(tree, path, redaction);
  else if (tree instanceof Trees) yield* writeTrees(tree, path, redaction);
  else if (holdsStreamed(tree)) yield* writeMembers(tree as { [name: string]: Tree }, path, redaction);
  else yield alike(canonicalJson(redaction.item(path, tree as JsonValue)));
}

async function* writeList(
  { items }: Streamed,
  path: string,
  redaction: BundleRedaction,
): AsyncGenerator<Written> {
  let index = 0;
  for await (const item of items()) {
    const clean = redaction.item(atIndex(path, index), item);
    const sign = index === 0 ? '[' : ',';
    const { canonical, asGiven } = spellings(clean);
    yield { text: sign + asGiven, canonical: sign + canonical };
    index += 1;
  }
  yield alike(index === 0 ? '[]' : ']');
}

async function* writeTrees(
  { items }: Trees,
  path: string,
  redaction: BundleRedaction,
): AsyncGenerator<Written> {
  let index = 0;
  for await (const item of items()) {
    yield alike(index === 0 ? '[' : ',');
    yield* write(item, atIndex(path, index), redaction);
    index += 1;
  }
  yield alike(index === 0 ? '[]' : ']');
}

async function* writeMembers(
  tree: { [name: string]: Tree },
  path: string,
  redaction: BundleRedaction,
): AsyncGenerator<Written> {
  let open = '{';
  for (const name of Object.keys(tree).sort()) {
    const value = tree[name] ?? null;
    if (holdsStreamed(value)) {
      yield alike(`${open}${JSON.stringify(name)}:`);
      yield* write(value, atMember(path, name), redaction);
    } else {
      const [shown, clean] = redaction.member(path, name, value as JsonValue);
      yield alike(`${open}${JSON.stringify(shown)}:${canonicalJson(clean)}`);
    }
    open = ',';
  }
  yield alike('}');
}

function alike(text: string): Written {
  return { text, canonical: text };
}

/** Streamed lists stand in the members that the builder of a bundle made, never deep in data. */
export function holdsStreamed(tree: Tree): boolean {
  if (tree instanceof Streamed || tree instanceof Trees) return true;
  if (tree === null || typeof tree !== 'object' || Array.isArray(tree)) return false;
  return Object.values(tree).some(holdsStreamed);
}

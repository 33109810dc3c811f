import type { z } from 'zod';
import { sha256Hex } from '#json/canonical.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { SecretMarkers } from '#redaction/secret-markers.ts';
import {
  BUNDLE_TYPE,
  REQUIRED_MEMBERS,
  redactionEntry,
  SCHEMA_VERSION,
  type SessionBundle,
  sessionBundle,
  transcriptSection,
} from '../session-bundle-schema.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { BundleFile, Item, Span } from './bundle-file.ts';
import { type Piece, piecesOf } from './bundle-pieces.ts';
import { atIndex, atMember } from './json-path.ts';
import { atOnce, inTurns, type Steps, type Turn } from './paced.ts';
import { asObject } from './run-record.ts';

export interface ValidationOptions {
  markers: SecretMarkers;
  /** Takes a bundle although something in it looks like a secret. Default false. */
  allowSecretMarkers?: boolean;
}

/** Receipts travel as they were signed; keys are public. Neither is looked through for secrets. */
const VERBATIM = ['$.metadata.receipts', '$.metadata.signing_keys', '$.metadata.manifest'];
/** A piece of one of them. */
const VERBATIM_PARTS = /^\$\.metadata\.(?:receipts|signing_keys|manifest)(?=[.[]|$)/;

/**
 * Checks a bundle in the fixed order of the steps; throws InvalidBundleError at the first that fails. Returns the bundle with
 * its long lists empty: their items are checked and not kept.
 */
export function validateBundle(file: BundleFile, options: ValidationOptions): SessionBundle {
  try {
    return atOnce(validation(file, options));
  } catch (error) {
    throw faultOfBundle(error);
  }
}

/** The same, where others want their turn in between. */
export async function validateInTurns(
  file: BundleFile,
  options: ValidationOptions,
  turn: Turn,
): Promise<SessionBundle> {
  try {
    return await inTurns(validation(file, options), turn);
  } catch (error) {
    throw faultOfBundle(error);
  }
}

function* validation(
  file: BundleFile,
  { markers, allowSecretMarkers }: ValidationOptions,
): Steps<SessionBundle> {
  yield* file.measure();
  const members = membersOf(file);
  requireMembers(members);
  const head = { _type: read(file, '_type'), schema_version: read(file, 'schema_version') };
  checkType(head._type);
  checkVersion(head.schema_version);
  yield* readAll(file, allowSecretMarkers ? undefined : markers);
  const bundle = yield* decode(file);
  yield* checkReferences(file);
  return bundle;
}

function membersOf(file: BundleFile): ReadonlyMap<string, unknown> {
  if (!file.isObject(file.root)) throw new InvalidBundleError('json', '$', 'the document is no object');
  return file.members(file.root);
}

function read(file: BundleFile, name: string): JsonValue {
  const span = file.find(name);
  return span === undefined ? null : file.parse(span);
}

function requireMembers(members: ReadonlyMap<string, unknown>): void {
  const missing = REQUIRED_MEMBERS.find((name) => !members.has(name));
  if (missing !== undefined)
    throw new InvalidBundleError('required_fields', `$.${missing}`, `missing required field ${missing}`);
}

function checkType(type: JsonValue): void {
  if (type === BUNDLE_TYPE) return;
  throw new InvalidBundleError('_type', '$._type', `_type must be ${BUNDLE_TYPE}`);
}

function checkVersion(version: JsonValue): void {
  if (version === SCHEMA_VERSION) return;
  const isFuture = typeof version === 'number' && version > SCHEMA_VERSION;
  const why = isFuture
    ? `schema_version ${version} is newer than this gateway knows (${SCHEMA_VERSION}); import it with a newer one`
    : `schema_version must be ${SCHEMA_VERSION}`;
  throw new InvalidBundleError('schema_version', '$.schema_version', why);
}

/** Reads all of it once; refuses a secret in a value or in a member name, and keeps what it is out of the message. */
function* readAll(file: BundleFile, markers: SecretMarkers | undefined): Steps<void> {
  for (const piece of piecesOf(file)) {
    const { path, ascii } = piece;
    yield ascii.length;
    const isLookedThrough = markers?.mayBeIn(ascii) === true && !VERBATIM_PARTS.test(path);
    const found = isLookedThrough ? secretInPiece(piece, markers) : undefined;
    if (found)
      throw new InvalidBundleError(
        'secret_markers',
        found.path,
        `unredacted secret marker (${found.kind}) at ${found.path}; allow it with --allow-unsafe-secret-markers`,
      );
  }
}

interface FoundSecret {
  path: string;
  kind: string;
}

function secretInPiece({ path, value, first }: Piece, markers: SecretMarkers): FoundSecret | undefined {
  if (first === undefined || !Array.isArray(value)) return secretIn(value, path, markers);
  for (const [at, item] of value.entries()) {
    const found = secretIn(item, atIndex(path, first + at), markers);
    if (found) return found;
  }
  return undefined;
}

function secretIn(value: JsonValue, path: string, markers: SecretMarkers): FoundSecret | undefined {
  if (VERBATIM.includes(path)) return undefined;
  if (typeof value === 'string') {
    const kind = markers.find(value);
    return kind === undefined ? undefined : { path, kind };
  }
  if (value === null || typeof value !== 'object') return undefined;
  const isList = Array.isArray(value);
  for (const [name, item] of Object.entries(value)) {
    const kind = isList ? undefined : markers.find(name);
    if (kind !== undefined) return { path: `${path} (a member name)`, kind };
    const own = isList ? `${path}[${name}]` : atMember(path, name);
    const found = secretIn(item as JsonValue, own, markers);
    if (found) return found;
  }
  return undefined;
}

function* decode(file: BundleFile): Steps<SessionBundle> {
  const bundle = decoded(sessionBundle, file.skeleton(), '$');
  for (const [path, schema] of LONG_LISTS) {
    const isBrief = schema === transcriptSection;
    for (const { index, value, bytes } of file.values(file.find(...path), { isBrief })) {
      const where = `$.${path.join('.')}[${index}]`;
      if (index === MAX_ITEMS)
        throw new InvalidBundleError(
          'typed_decode',
          where,
          `${where}: more than ${MAX_ITEMS} items; hand on a shorter run`,
        );
      decoded(schema, value, where);
      yield bytes;
    }
  }
  return bundle;
}

/** Each is looked at by itself. */
const MAX_ITEMS = 1_000_000;

/** Lists that may be too long to be held, and what their items are. */
const LONG_LISTS: readonly (readonly [path: readonly string[], schema: z.ZodType])[] = [
  [['redaction', 'entries'], redactionEntry],
  [['permissions'], sessionBundle.shape.permissions.element],
  [['attachments'], sessionBundle.shape.attachments.element],
  [['tools', 'calls'], sessionBundle.shape.tools.shape.calls.element],
  [['tools', 'schemas'], sessionBundle.shape.tools.shape.schemas.element],
  [['transcript', 'sections'], transcriptSection],
  [['runtime', 'provider_models'], sessionBundle.shape.runtime.shape.provider_models.element],
  [['replay', 'event_log_pointers'], sessionBundle.shape.replay.shape.event_log_pointers.element],
  [['replay', 'transitions'], sessionBundle.shape.replay.shape.transitions.element],
  [['replay', 'checkpoints'], sessionBundle.shape.replay.shape.checkpoints.element],
  [['replay', 'trace_spans'], sessionBundle.shape.replay.shape.trace_spans.element],
  [['replay', 'deterministic_events'], sessionBundle.shape.replay.shape.deterministic_events.element],
];

/** One fault, named by its path. */
export function decoded<Schema extends z.ZodType>(
  schema: Schema,
  value: JsonValue,
  path: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = (issue?.path ?? []).reduce<string>(
    (at, step) => (typeof step === 'number' ? `${at}[${step}]` : atMember(at, String(step))),
    path,
  );
  throw new InvalidBundleError('typed_decode', where, `${where}: ${issue?.message ?? 'is invalid'}`);
}

/** What the reader refuses is a fault of the bundle, not of the call; that nobody waits any more is none. */
export function faultOfBundle(error: unknown): unknown {
  if (!(error instanceof ProtocolError) || error.code === 'client_closed_request') return error;
  return new InvalidBundleError('json', error.param === undefined ? '$' : `$.${error.param}`, error.message);
}

export function asMembers(value: JsonValue | undefined): JsonObject {
  return objectOf(value);
}

/** Lists whose items have an id of their own, and the member that holds it. */
const IDENTIFIED: readonly (readonly [path: readonly string[], member: string])[] = [
  [['attachments'], 'id'],
  [['transcript', 'sections'], 'id'],
  [['replay', 'checkpoints'], 'id'],
  [['replay', 'transitions'], 'id'],
  [['replay', 'run_record', 'stages'], 'id'],
  [['replay', 'run_record', 'artifacts'], 'id'],
  [['replay', 'run_record', 'tool_recordings'], 'tool_use_id'],
  [['replay', 'run_record', 'hitl_questions'], 'request_id'],
];

/** Lists whose items come from each other: the member that is their id, and the one that names what they come from. */
const DESCENDED: readonly (readonly [path: readonly string[], member: string, parents: string])[] = [
  [['replay', 'trace_spans'], 'span_id', 'parent_span_id'],
  [['replay', 'run_record', 'artifacts'], 'id', 'lineage'],
  [['replay', 'run_record', 'child_runs'], 'id', 'parent_run_id'],
];

/** Most items that are compared with each other: what is kept of them stays in memory until they were all seen. */
const MAX_COMPARED = 1_000_000;

/** Members by which an attachment could name a file. */
const FILE_NAMES = ['id', 'name', 'path', 'file_name'];

/** Ids that are there twice, things that contain themselves, and file names that lead elsewhere. */
function* checkReferences(file: BundleFile): Steps<void> {
  for (const [path, member] of IDENTIFIED) yield* refuseDuplicates(file, path, member);
  for (const [path, member, parents] of DESCENDED) yield* refuseCycles(file, path, member, parents);
  refuseOwnParent(file);
  yield* refuseFileNames(file);
}

function* refuseDuplicates(file: BundleFile, path: readonly string[], member: string): Steps<void> {
  const seen = new Set<string>();
  for (const { item, where, bytes } of objectsOf(file, path)) {
    yield bytes;
    const id = item[member];
    if (typeof id !== 'string') continue;
    if (seen.has(kept(id))) throw fault(`${where}.${member}`, `the id ${quoted(id)} is there twice`);
    seen.add(kept(id));
  }
}

/** Follows every item to what it came from; a way that comes back to itself has no end. */
function* refuseCycles(
  file: BundleFile,
  path: readonly string[],
  member: string,
  parents: string,
): Steps<void> {
  const above = new Map<Name, readonly Name[]>();
  let compared = 0;
  for (const found of objectsOf(file, path)) {
    const names: Name[] = [];
    for (const { value, bytes } of named(file, found, parents)) {
      yield bytes;
      if (value === null) continue;
      compared += 1;
      if (compared > MAX_COMPARED)
        throw fault(found.where, `there are more than ${MAX_COMPARED} references; hand on a shorter run`);
      names.push(kept(value));
    }
    above.set(kept(found.item[member] ?? null), names);
    yield found.bytes;
  }
  const loop = loopIn(above);
  if (loop !== undefined)
    throw fault(
      `$.${path.join('.')}`,
      `${member} ${quoted(String(loop))} refers to itself, over others or not`,
    );
}

/** What a member names, one or several; a list that is too long to be held is read where it stands. */
function* named(file: BundleFile, { item, span }: Found, member: string): Generator<Item> {
  const value = item[member] ?? null;
  const list = Array.isArray(value) && span !== undefined ? file.members(span).get(member) : undefined;
  if (list !== undefined) yield* file.values(list);
  else for (const [index, one] of [value].flat().entries()) yield { index, value: one, bytes: 0 };
}

/** Something that is above itself. */
function loopIn(above: ReadonlyMap<Name, readonly Name[]>): Name | undefined {
  const settled = new Set<Name>();
  for (const start of above.keys()) {
    const open = [{ id: start, left: [...(above.get(start) ?? [])] }];
    const way = new Set([start]);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const next = top.left.pop();
      if (next === undefined) {
        settled.add(top.id);
        way.delete(top.id);
        open.pop();
      } else if (way.has(next)) return next;
      else if (above.has(next) && !settled.has(next)) {
        way.add(next);
        open.push({ id: next, left: [...(above.get(next) ?? [])] });
      }
    }
  }
  return undefined;
}

/** What an id is compared by. */
type Name = string | number | boolean | null;

/** Ids are short; a long one is held by its hash, and what is no id by its text. */
const MAX_ID_CHARS = 128;

function kept(id: string): string;
function kept(id: JsonValue | undefined): Name;
function kept(id: JsonValue | undefined): Name {
  if (id === undefined || id === null || typeof id === 'number' || typeof id === 'boolean') return id ?? null;
  const text = typeof id === 'string' ? id : JSON.stringify(id);
  return text.length > MAX_ID_CHARS ? sha256Hex(text) : text;
}

function refuseOwnParent(file: BundleFile): void {
  const span = file.find('source');
  const source = span === undefined ? {} : asObject(file.skeleton(span));
  const { run_record_id: id } = source;
  for (const name of ['parent_run_id'])
    if (id !== undefined && source[name] === id)
      throw fault(`$.source.${name}`, `the run ${quoted(String(id))} is its own parent`);
}

/** Nothing is written by these names, and nobody else shall be led astray by them. */
function* refuseFileNames(file: BundleFile): Steps<void> {
  for (const { item, where, bytes } of objectsOf(file, ['attachments'])) {
    for (const member of FILE_NAMES) {
      const name = item[member];
      if (typeof name === 'string' && leadsElsewhere(name))
        throw fault(`${where}.${member}`, `the attachment name ${quoted(name)} is a path`);
    }
    yield bytes;
  }
}

function leadsElsewhere(name: string): boolean {
  return name === '.' || name === '..' || /[/\\\0]/.test(name);
}

interface Found {
  item: JsonObject;
  /** Of an item whose long lists and texts are left out. */
  span: Span | undefined;
  where: string;
  bytes: number;
}

function* objectsOf(file: BundleFile, path: readonly string[]): Generator<Found> {
  for (const { index, value, bytes, span } of file.values(file.find(...path), { isBrief: true })) {
    if (index === MAX_COMPARED)
      throw fault(`$.${path.join('.')}`, `there are more than ${MAX_COMPARED} items; hand on a shorter run`);
    yield { item: asObject(value), span, where: `$.${path.join('.')}[${index}]`, bytes };
  }
}

/** Of what came from outside, only as much as a reader needs. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

function fault(path: string, why: string): InvalidBundleError {
  return new InvalidBundleError('references', path, `${path}: ${why}`);
}

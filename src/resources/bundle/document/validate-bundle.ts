import type { z } from 'zod';
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
import type { BundleFile } from './bundle-file.ts';
import { type Piece, piecesOf } from './bundle-pieces.ts';
import { checkReferences } from './check-references.ts';
import { atIndex, atMember } from './json-path.ts';
import { atOnce, inTurns, type Steps, type Turn } from './paced.ts';

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

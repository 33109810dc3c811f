import { createHash } from 'node:crypto';
import type { Event } from '#eventlog/event-log.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { part, ROLES, type Role, VISIBILITIES } from '#resources/message/schema.ts';
import type { SessionBundle } from '../session-bundle-schema.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { BundleFile, Item, Span } from './bundle-file.ts';
import { MAX_EVENT_BYTES } from './gateway-rows.ts';
import type { Steps } from './paced.ts';
import type { Hashed, Plan, RestoredEvent } from './restore-plan.ts';
import { SESSION_LIVENESS, WORKER_SNAPSHOTS } from './run-record.ts';
import { asMembers } from './validate-bundle.ts';

const ID_DIGITS = 26;
const EVENT_DIGITS = 20;
/** Bundles of others do not say where it happened. */
const WORKSPACE = 'workspace_elsewhere';
/** Members of the metadata of a transcript that mean here what they mean there. */
const SHARED_METADATA = ['system_prompt', 'workspace_anchor'];
/** Members of the source of a bundle that the Session says of the run. */
const RUN_MEMBERS = ['run_record_id', 'workflow_id', 'workflow_name', 'task', 'status', 'finished_at'];

/**
 * What can be restored of a bundle that no gateway wrote: a Session with the turns of its transcript, which a caller may go on
 * with. Its run has no Tasks here: there are no frames to replay and no receipts to verify. Ids follow from the content, so that
 * the same bundle is the same Session.
 */
export class ForeignPlan implements Plan {
  readonly sessionId: string;
  readonly workspaceId = WORKSPACE;
  readonly issuer: string;
  readonly tenantId = null;
  readonly mode: SessionBundle['redaction']['mode'];
  readonly #file: BundleFile;
  readonly #bundle: SessionBundle;
  readonly #digest: string;

  /** Throws InvalidBundleError where there is neither a run record nor a fixture with a transcript to make one from. */
  constructor(file: BundleFile, bundle: SessionBundle) {
    refuseEmpty(file, bundle);
    this.#file = file;
    this.#bundle = bundle;
    this.#digest = digestOf(file);
    this.sessionId = this.#id('session', 0);
    this.issuer = bundle.producer.name;
    this.mode = bundle.redaction.mode;
  }

  *checkedEvents(): Generator<Hashed<RestoredEvent>> {
    for (const restored of this.events()) yield { ...restored, ownHash: restored.sha256 };
  }

  *events(from = 0): Generator<RestoredEvent> {
    let number = 0;
    for (const { kind, at, payload } of this.#recorded()) {
      number += 1;
      if (number > from) yield whole(this.#event(number, kind, at, payload));
    }
  }

  *checkedFrames(): Generator<never> {}

  *frames(): Generator<never> {}

  *pieces(): Generator<never> {}

  *receipts(): Generator<never> {}

  /** What its turns refer to stays in their blocks, as it was written. */
  *outerAssets(): Steps<[]> {
    yield 0;
    return [];
  }

  *#recorded(): Generator<{ kind: Event['event']; at: string; payload: JsonObject }> {
    const startedAt = timeOf(this.#bundle.source.started_at, this.#bundle.created_at);
    yield { kind: 'session.created', at: startedAt, payload: { session: this.#session(startedAt) } };
    let position = 0;
    for (const { value } of this.#messages()) {
      const said = asMembers(value);
      const at = timeOf(said['created_at'], startedAt);
      const id = this.#id('message', position);
      const message = {
        ...foreignMessage(said),
        id,
        object: 'message',
        created_at: at,
        updated_at: at,
        workspace_id: WORKSPACE,
        session_id: this.sessionId,
        task_id: null,
      };
      const { role } = message;
      yield {
        kind: 'session.message_appended',
        at,
        payload: { message_id: id, role, position, pending: false, message },
      };
      position += 1;
    }
  }

  /** Those of the run; where it has none of its own, of its stages one after the other. */
  *#messages(): Generator<Item> {
    const hasRun = [...this.#sections()].length > 0;
    for (const section of this.#sections(hasRun))
      yield* this.#file.values(this.#file.members(section).get('messages'), {
        maxBytes: MAX_EVENT_BYTES,
      });
  }

  *#sections(ofRun = true): Generator<Span> {
    for (const section of this.#file.items(this.#file.find('transcript', 'sections')))
      if (!ofRun || this.#memberOf(section, 'scope') === 'run') yield section;
  }

  #memberOf(section: Span, name: string): JsonValue {
    const found = this.#file.members(section).get(name);
    return found === undefined ? null : this.#file.parse(found);
  }

  #session(at: string): JsonObject {
    const source = this.#bundle.source as unknown as JsonObject;
    const run = {
      ...Object.fromEntries(RUN_MEMBERS.map((name) => [name, source[name] ?? null])),
      ...this.#besideTheRun(),
    };
    return {
      id: this.sessionId,
      object: 'session',
      created_at: at,
      updated_at: at,
      metadata: { ...this.#sharedMetadata(), run },
      workspace_id: WORKSPACE,
      state: 'IDLE',
      transcript: { object: 'transcript', message_count: 0 },
      persona_id: null,
      root_session_id: null,
      parent_session_id: null,
      branch_id: null,
      last_event_id: null,
      summary: null,
      expires_at: null,
    };
  }

  /** Kept with the run, so that an export has it again. */
  #besideTheRun(): JsonObject {
    const snapshots = this.#file.find('replay', WORKER_SNAPSHOTS);
    const liveness = this.#file.find('metadata', SESSION_LIVENESS);
    return {
      ...(snapshots === undefined ? {} : { [WORKER_SNAPSHOTS]: this.#file.parse(snapshots) }),
      ...(liveness === undefined ? {} : { [SESSION_LIVENESS]: this.#file.parse(liveness) }),
    };
  }

  #sharedMetadata(): JsonObject {
    for (const section of this.#sections()) {
      const metadata = asMembers(this.#memberOf(section, 'metadata'));
      const known = SHARED_METADATA.flatMap((name) =>
        metadata[name] === undefined ? [] : [[name, metadata[name]] as const],
      );
      return Object.fromEntries(known);
    }
    return {};
  }

  #event(number: number, event: Event['event'], at: string, payload: JsonObject): Event {
    return {
      actor: null,
      created_at: at,
      event,
      id: eventId(number),
      metadata: {},
      object: 'event',
      payload,
      previous_event_id: number === 1 ? null : eventId(number - 1),
      resource: { id: this.sessionId, object: 'session' },
      sequence: number,
      session_id: this.sessionId,
      span_id: null,
      task_id: null,
      trace_id: null,
      updated_at: at,
      workspace_id: WORKSPACE,
    };
  }

  #id(object: string, number: number): string {
    const digest = sha256Hex(`${this.#digest}/${object}/${number}`);
    return `${object}_${digest.slice(0, ID_DIGITS).toUpperCase()}`;
  }
}

function refuseEmpty(file: BundleFile, { replay }: SessionBundle): void {
  const record = file.find('replay', 'run_record');
  if (record !== undefined && file.isObject(record)) return;
  const [section] = file.items(file.find('transcript', 'sections'));
  if (replay.replay_fixture && section !== undefined) return;
  const why = 'no run record, and no replay fixture with transcript sections to make one from';
  throw new InvalidBundleError('references', '$.replay', why);
}

/** Of what is restored; how a bundle is numbered, or when it was written, does not matter. */
function digestOf(file: BundleFile): string {
  const hash = createHash('sha256');
  for (const name of ['source', 'transcript']) {
    const span = file.find(name);
    if (span) for (const bytes of file.blocks(span)) hash.update(bytes);
  }
  return hash.digest('hex');
}

function whole(event: Event): RestoredEvent {
  const sha256 = `sha256:${sha256Hex(canonicalJson(event as unknown as JsonValue))}`;
  return { event, sha256, withheld: false, opaque: false };
}

/** The first of them that is a time, as the gateway spells it; else the beginning of all times. */
function timeOf(...said: (JsonValue | undefined)[]): string {
  for (const text of said) {
    const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  }
  return new Date(0).toISOString();
}

function eventId(number: number): string {
  return String(number).padStart(EVENT_DIGITS, '0');
}

/** Roles that other hosts know by other names. */
const OTHER_NAMES: Readonly<Record<string, Role>> = { developer: 'system', function: 'tool' };

/**
 * A message of a transcript that another host wrote, as the gateway keeps it: text is text, a block that is a Part stays one, and
 * any other, or one that names what did not come along, is kept whole as JSON.
 */
function foreignMessage({ role: said, content = null, metadata }: JsonObject): {
  role: Role;
  parts: JsonValue[];
  metadata: JsonObject;
} {
  const name = String(said);
  const role = ROLES.find((known) => known === name) ?? OTHER_NAMES[name] ?? 'agent';
  const own = asMembers(metadata);
  return {
    role,
    parts: (Array.isArray(content) ? content : [content]).map(partOf),
    metadata: role === name ? own : { ...own, original_role: said ?? null },
  };
}

/** Parts that hold what they say, without an Artifact that would have to be there. */
const SELF_CONTAINED: ReadonlySet<JsonValue | undefined> = new Set([
  'text',
  'json',
  'tool_call',
  'tool_result',
]);

function partOf(block: JsonValue): JsonObject {
  if (typeof block === 'string') return { type: 'text', text: block, visibility: 'public' };
  const members = asMembers(block);
  const visibility = VISIBILITIES.find((known) => known === members['visibility']) ?? 'public';
  const parsed = part.safeParse({ ...members, visibility });
  if (parsed.success && SELF_CONTAINED.has(members['type'])) return parsed.data as unknown as JsonObject;
  return { type: 'json', value: block, visibility };
}

import { unlessDamaged } from '#core/unless-damaged.ts';
import type { Event, EventLog, Segment } from '#eventlog/event-log.ts';
import { isNoMark } from '#eventlog/history-mark.ts';
import { type RecordedHash, RecordedHashes } from '#eventlog/recorded-hashes.ts';
import { eventIn, NO_EVENT } from '#eventlog/segment.ts';
import { sha256Hex } from '#json/canonical.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { eventNumberOf } from '#protocol/ports.ts';
import { knowsRules } from '#protocol/rules.ts';
import { artifactIn } from '#resources/artifact/artifact-in.ts';
import { recordsOf } from '#resources/artifact/content.ts';
import { importMarkOf, originalEvent } from '#resources/bundle/fold-imported.ts';
import { type CleanErasedState, erasureKeys } from '#resources/erasure/state.ts';
import type { TaskState } from '#resources/task/state.ts';
import { eventKey, framesOf, keysUnder, receiptKey } from '#store/keys.ts';
import { FrameGapError, framesInRow, type StoredFrame, wholeFrame } from './record/frame-row.ts';
import type { History, MissingDependency } from './record/history.ts';
import type { PlacedFrame, RecordedFrame } from './record/recorded-frame.ts';
import { firstMissing, placeFrames } from './record/stimuli.ts';
import type { ReplayVerdict } from './schema.ts';

/** Keys read at once. */
const PAGE = 500;

export type Tampering = Extract<ReplayVerdict, { status: 'tamper_detected' }>;

export interface LoadedHistory {
  history: History;
  /** The events by their ids in this log. */
  logIds?: ReadonlyMap<string, string>;
  /** The first thing that is not there. */
  missing?: MissingDependency;
  /** The first thing that is not what was recorded. */
  tampering?: Tampering;
}

/**
 * Reads what was recorded of a run up to an event of the log: what its agent says later is no part of it. Every record is
 * held against the commit that wrote it, before anything is made of it.
 */
export async function loadHistory(
  log: EventLog,
  { resource, internal }: TaskState,
  throughId: string = log.head.eventId,
): Promise<LoadedHistory> {
  const { id: taskId, session_id: sessionId } = resource;
  const erased = log.state<CleanErasedState>(erasureKeys.unreplayable(taskId));
  if (erased !== undefined) {
    const history: History = { taskId, sessionId, route: internal.route, events: [], frames: [] };
    return { history, missing: { kind: 'frame', id: erased.erasure_id, erased: true } };
  }
  const events = await readEvents(log, resource, throughId);
  const known = events.flatMap(({ content }) => content ?? []);
  const frames = await readFrames(log, { taskId, route: internal.route, events: known }, throughId);
  const read = [...frames, ...events].sort((a, b) => a.place - b.place);
  const history: History = {
    taskId,
    sessionId,
    route: internal.route,
    events: known,
    frames: frames.flatMap(({ content }) => content ?? []),
  };
  const tampering = firstTampering(log, read);
  if (tampering) return { history, tampering };
  const gone = events.find(({ sha256 }) => sha256 === undefined);
  const withheld = read.find(({ isWithheld }) => isWithheld);
  if (withheld) return { history, missing: withheldOne(withheld, frames) };
  const lost = gone?.where ?? frames.find(({ lostEvent }) => lostEvent !== undefined)?.lostEvent;
  const missing = lost
    ? { kind: 'event' as const, id: lost }
    : (unknownRules(internal.rules) ??
      firstMissing(history) ??
      firstMissingRecord(log, resource.workspace_id, known));
  const logIds = new Map(events.flatMap(({ logId, where }) => (logId === undefined ? [] : [[logId, where]])));
  return missing === undefined ? { history, logIds } : { history, missing };
}

/** What a newer gateway ran by rules of its own, this one would run differently. */
function unknownRules(rules: number | undefined): MissingDependency | undefined {
  return knowsRules(rules) ? undefined : { kind: 'host_fact', id: `host:rules:${rules}` };
}

/** The first thing, in the order of the run, that the bundle of an import did not bring. */
function withheldOne(found: Read<unknown>, frames: readonly Read<unknown>[]): MissingDependency {
  return { kind: frames.includes(found) ? 'frame' : 'event', id: found.where, withheld: true };
}

/** One record of a history. */
interface Read<Content> {
  content?: Content;
  /** Event id or override key. */
  where: string;
  /** Sorts records as the log has them: a frame stands before its events. */
  place: number;
  /** Id of an event in this log, which is another one than it was recorded with where it was imported. */
  logId?: string;
  /** It came from elsewhere, without all of its content. */
  isWithheld?: true;
  /** Set for an event: its id in this log. */
  eventId?: string;
  /** Hash of its bytes, of an event that of the segment it is stored in; undefined when there is none. */
  sha256?: string;
  /** Set for a frame that cannot be put together: the event that says what it does not. */
  lostEvent?: string;
  /** Set for a record that fails its own seal. */
  damage?: { expected: string; observed: string };
  recorded(hashes: RecordedHashes): RecordedHash;
}

async function readEvents(
  log: EventLog,
  { id: taskId, session_id: sessionId }: Pick<TaskState['resource'], 'id' | 'session_id'>,
  throughId: string,
): Promise<Read<Event>[]> {
  const ids: string[] = [];
  for (let after = NO_EVENT, size = PAGE; size === PAGE; after = ids.at(-1) ?? after) {
    const page = await log.eventIds({ kind: 'task', id: taskId }, after, PAGE);
    ids.push(...page);
    size = page.length;
  }
  const [first] = await log.range({ kind: 'session', id: sessionId }, NO_EVENT, 1);
  const [mark] = first === undefined ? [] : [parseEvent(first)].filter((event) => !isNoMark(event));
  const segments = new SegmentReader(log, mark);
  return ids
    .filter((id) => id <= throughId)
    .map((id) => {
      const { content: stored, ...read } = segments.read(id);
      const recorded = (hashes: RecordedHashes) => segments.recorded(hashes, id, read.sha256);
      const mark = stored && importMarkOf(stored);
      const content = stored && originalEvent(stored);
      const where = content?.id ?? id;
      const place = eventNumberOf(where);
      const found = { ...read, where, place, recorded, eventId: id };
      if (mark?.withheld) return { ...found, isWithheld: true };
      // A mark of retention stands in the place of an event that is gone.
      if (content && !isNoMark(content)) return { where, place, recorded };
      return { ...found, ...(content ? { content, logId: id } : {}) };
    });
}

/** Events by their ids, in order; a segment is read and hashed once for all that it holds. */
class SegmentReader {
  readonly #log: EventLog;
  /** The event behind which retention cut the session. */
  readonly #cutBehind: string | undefined;
  #segment: Segment | undefined;

  constructor(log: EventLog, mark: Event | undefined) {
    this.#log = log;
    const behind = mark?.payload['removed_behind_event_id'];
    this.#cutBehind = behind === undefined ? undefined : String(behind);
  }

  read(id: string): Pick<Read<Event>, 'content' | 'sha256' | 'damage'> {
    try {
      const segment = this.#holding(id);
      const bytes = segment && eventIn(segment, id);
      if (segment === undefined || bytes === undefined) return {};
      return { content: parseEvent(bytes), sha256: segment.sha256 };
    } catch (error) {
      return { sha256: '', damage: damageOf(error) };
    }
  }

  #holding(id: string): Segment | undefined {
    const held = this.#segment;
    if (held !== undefined && id >= held.firstId && id <= held.lastId) return held;
    this.#segment = this.#log.segment(id);
    return this.#segment;
  }

  /** What vouches for the segment of an event: the commit that wrote it, or the one that cut it. */
  recorded(hashes: RecordedHashes, id: string, sha256: string | undefined): RecordedHash {
    const written = hashes.ofSegment(id);
    if (this.#cutBehind === undefined || written.status !== 'known' || written.sha256 === sha256)
      return written;
    const lastId = written.segment?.lastId ?? id;
    const cut = hashes.ofRecord(eventKey(lastId), this.#cutBehind, 0);
    return cut.status === 'known' ? { ...cut, segment: { firstId: id, lastId } } : written;
  }
}

async function readFrames(
  log: EventLog,
  { taskId, route, events }: Pick<History, 'taskId' | 'route' | 'events'>,
  throughId: string,
): Promise<Read<PlacedFrame>[]> {
  const read: (Omit<Read<RecordedFrame>, 'where' | 'place' | 'recorded'> & { key: string })[] = [];
  const own = new Map(events.map((event) => [event.id, event]));
  const eventOf = (id: string) => own.get(id) ?? log.event(id)?.event;
  for await (const key of keysOf(log, framesOf(taskId))) {
    const { content: row, ...found } = readRecord(log, key, framesInRow);
    if (row === undefined) read.push({ ...found, key });
    for (const stored of row ?? []) read.push({ ...found, ...putTogether(stored, eventOf), key });
  }
  const taken = read.flatMap(({ content }) => content ?? []);
  const placed = placeFrames(taken, events, route)[Symbol.iterator]();
  let place = 0;
  return read.flatMap(({ content, key, ...found }) => {
    if (!content) return { ...found, where: key, place, recorded: () => ({ status: 'unknown' as const }) };
    const frame = placed.next().value;
    // One taken right behind the bound has its events behind it too; of what was imported all is before it.
    if (!frame || (!frame.imported && frame.after >= throughId)) return [];
    place = eventNumberOf(frame.after) + 0.5;
    const { imported } = frame;
    const recorded = (hashes: RecordedHashes) =>
      imported ? hashes.ofRecord(key, imported.after, 0) : hashes.ofRecord(key, frame.after, frame.events);
    const withheld = imported?.withheld ? { isWithheld: true as const } : {};
    return { ...found, ...withheld, content: frame, where: frame.key, place, recorded };
  });
}

/** A frame whose event is damaged or gone is as good as its head: the event is reported. */
function putTogether(
  stored: StoredFrame,
  eventOf: (id: string) => Event | undefined,
): { content: RecordedFrame; lostEvent?: string } {
  const { said: _, ...head } = stored;
  let asked = '';
  try {
    const content = wholeFrame(stored, (id) => {
      asked = id;
      return eventOf(id);
    });
    return { content };
  } catch (error) {
    if (!(error instanceof FrameGapError) && ProtocolError.from(error).code !== 'resource_locked')
      throw error;
    return { content: head, lostEvent: asked };
  }
}

function parseEvent(bytes: Buffer): Event {
  return JSON.parse(bytes.toString('utf8'));
}

function readRecord<Content>(
  log: EventLog,
  key: string,
  parse: (bytes: Buffer) => Content,
): Pick<Read<Content>, 'content' | 'sha256' | 'damage'> {
  try {
    const bytes = log.record(key);
    return bytes === undefined ? {} : { content: parse(bytes), sha256: sha256Hex(bytes) };
  } catch (error) {
    return { sha256: '', damage: damageOf(error) };
  }
}

/** A record that fails its seal says so itself; any other failure is the caller's. */
export function damageOf(error: unknown): { expected: string; observed: string } {
  const { code, cause } = ProtocolError.from(error);
  if (code !== 'resource_locked') throw error;
  const { expected, observed } = (cause ?? {}) as { expected?: string; observed?: string };
  return { expected: expected ?? 'readable bytes', observed: observed ?? 'a damaged block' };
}

/** The first record, in the order of the log, that is not what its commit says. */
function firstTampering(log: EventLog, read: readonly Read<unknown>[]): Tampering | undefined {
  const hashes = new RecordedHashes(log);
  for (const record of read) {
    if (record.sha256 === undefined) continue;
    const recorded = record.recorded(hashes);
    if (recorded.status === 'broken' && !record.damage)
      return {
        status: 'tamper_detected',
        index: read.indexOf(record),
        where: recorded.where,
        ...prefixed(recorded),
      };
    const segment = recorded.status === 'known' ? recorded.segment : undefined;
    const expected = recorded.status === 'known' ? recorded.sha256 : 'a commit that has it';
    const fault = record.damage ?? { expected, observed: record.sha256 };
    if (fault.expected !== fault.observed)
      return { status: 'tamper_detected', ...placeOf(record, segment, read), ...prefixed(fault) };
  }
  return undefined;
}

/** Of a segment all events are named: its hash does not say which of them it is. */
function placeOf(
  record: Read<unknown>,
  segment: { firstId: string; lastId: string } | undefined,
  read: readonly Read<unknown>[],
): Pick<Tampering, 'index' | 'where' | 'through'> {
  const isIn = ({ eventId }: Read<unknown>) =>
    segment !== undefined && eventId !== undefined && eventId >= segment.firstId && eventId <= segment.lastId;
  const own = read.filter(isIn);
  const [first = record, last = record] = [own[0], own.at(-1)];
  const through = last === first ? {} : { through: last.where };
  return { index: read.indexOf(first), where: first.where, ...through };
}

function prefixed({ expected, observed }: { expected: string; observed: string }) {
  const hash = (text: string) => (/^[0-9a-f]{64}$/.test(text) ? `sha256:${text}` : text);
  return { expected: hash(expected), observed: hash(observed) };
}

async function* keysOf(log: EventLog, prefix: string): AsyncGenerator<string, void> {
  const { gte, lt } = keysUnder(prefix);
  let page = await log.indexKeys({ gte, lt, limit: PAGE });
  while (page.length > 0) {
    yield* page;
    page = await log.indexKeys({ gt: page.at(-1) ?? lt, lt, limit: PAGE });
  }
}

/** The first receipt or Artifact that the events of a run name and that is not stored any more. */
function firstMissingRecord(
  log: EventLog,
  workspaceId: string,
  events: readonly Event[],
): MissingDependency | undefined {
  const seen = new Set<string>();
  for (const { kind, id } of events.flatMap(namedBy)) {
    const known = seen.size;
    if (seen.add(id).size === known) continue;
    if (!isThere(log, workspaceId, { kind, id })) return { kind, id };
  }
  return undefined;
}

type Named = MissingDependency & { kind: 'receipt' | 'artifact' };

/** What is damaged is there: that is for the verification to find. */
function isThere(log: EventLog, workspaceId: string, { kind, id }: Named): boolean {
  return unlessDamaged(() => {
    if (kind === 'receipt') return log.record(receiptKey(id)) !== undefined;
    const artifact = artifactIn({ get: log.state.bind(log) }, workspaceId, id);
    return artifact !== undefined && recordsOf(artifact).every((key) => log.record(key) !== undefined);
  }, true);
}

function namedBy({ event, resource, payload }: Event): Named[] {
  if (event === 'receipt.issued') return [{ kind: 'receipt', id: String(payload['receipt_id']) }];
  if (resource.object === 'artifact') return [{ kind: 'artifact', id: resource.id }];
  const { message } = payload as { message?: { parts?: { type?: string; artifact_id?: string }[] } };
  return (message?.parts ?? []).flatMap(({ type, artifact_id: id }): Named[] =>
    (type === 'artifact_ref' || type === 'image_ref') && id !== undefined ? [{ kind: 'artifact', id }] : [],
  );
}

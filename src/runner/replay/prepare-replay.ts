import type { Event, EventLog } from '#eventlog/event-log.ts';
import { type LoadedHistory, loadHistory, type Tampering } from '#resources/replay/load-history.ts';
import type { History, MissingDependency } from '#resources/replay/record/history.ts';
import type { RecordedFrame } from '#resources/replay/record/recorded-frame.ts';
import type { ReplayTerms } from '#resources/replay/schema.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';

/** A substitute, and who may read what becomes of it. */
export interface Substitute {
  frame: RecordedFrame['frame'];
  visibility: ReplayTerms['overrides'][number]['visibility'];
  deltaId: string;
  /** Where it is kept, in words of a receipt. */
  uri: string;
}

/** What an earlier replay recorded of one event: a replay of it is compared with that. */
export interface RecordedReplay {
  eventId: string;
  sha256: string;
}

/** Everything a replay runs on. */
export interface PreparedReplay {
  /** Of the run itself, also where a replay of it is replayed. */
  history: History;
  substitutes: ReadonlyMap<string, Substitute>;
  /** Id of the event after which events are replayed; null: all. */
  checkpointEventId: string | null;
  /** Set where the source is a replay: what it recorded, in order. */
  recorded?: readonly RecordedReplay[];
}

export type Preparation =
  | { status: 'ready'; prepared: PreparedReplay }
  | { status: 'missing'; missing: MissingDependency }
  | { status: 'tampered'; tampering: Tampering };

/**
 * Loads what a replay needs, verified against the commit chain, before anything runs again. Missing things and tampering
 * are findings, not errors.
 */
export async function prepareReplay(log: EventLog, replay: TaskState): Promise<Preparation> {
  const terms = replay.internal.replay;
  if (!terms) throw new Error(`${replay.resource.id} replays nothing`);
  const own = await substitutesOf(log, replay, terms);
  if ('status' in own) return own;
  const source = log.state<TaskState>(taskKeys.task(terms.source_task_id));
  if (!source) return { status: 'missing', missing: { kind: 'event', id: terms.source_task_id } };
  const loaded = await loadHistory(log, source, terms.through_event_id);
  if (loaded.tampering) return { status: 'tampered', tampering: loaded.tampering };
  if (!source.internal.replay) {
    if (loaded.missing) return { status: 'missing', missing: loaded.missing };
    const checkpoint = checkpointOf(loaded, terms);
    if (typeof checkpoint === 'object' && checkpoint !== null)
      return { status: 'missing', missing: checkpoint };
    const prepared = { history: loaded.history, substitutes: own, checkpointEventId: checkpoint };
    return { status: 'ready', prepared };
  }
  const before = await prepareReplay(log, source);
  if (before.status !== 'ready') return before;
  const { history, substitutes, checkpointEventId } = before.prepared;
  const prepared = {
    history,
    substitutes: new Map([...substitutes, ...own]),
    checkpointEventId,
    recorded: recordedOf(loaded.history.events),
  };
  return { status: 'ready', prepared };
}

/** The substitutes are the replay material of the replay itself. */
async function substitutesOf(
  log: EventLog,
  replay: TaskState,
  { overrides }: ReplayTerms,
): Promise<Map<string, Substitute> | Exclude<Preparation, { status: 'ready' }>> {
  const found = new Map<string, Substitute>();
  const substituted = overrides.filter(({ frame }) => frame !== null);
  if (substituted.length === 0) return found;
  const { history, tampering } = await loadHistory(log, replay);
  if (tampering) return { status: 'tampered', tampering };
  for (const { key, visibility, delta_id: deltaId, frame } of substituted) {
    const record: RecordedFrame | undefined = history.frames.find((frame) => frame.key === key);
    if (!record) return { status: 'missing', missing: { kind: 'override', id: key } };
    const uri = `harn://tasks/${replay.resource.id}/frames/${frame}`;
    found.set(key, { frame: record.frame, visibility, deltaId, uri });
  }
  return found;
}

/** The event of the checkpoint; null for the whole run, what is missing where it is not there. */
function checkpointOf(
  { history: { events }, logIds }: LoadedHistory,
  { mode, checkpoint_id, checkpoint_event_id }: ReplayTerms,
): string | null | MissingDependency {
  if (mode !== 'from_checkpoint') return null;
  const named = checkpoint_event_id && (logIds?.get(checkpoint_event_id) ?? checkpoint_event_id);
  const found = events.find(({ id, payload }) =>
    named === null ? payload['checkpoint_id'] === checkpoint_id : id === named,
  );
  return found?.id ?? { kind: 'event', id: checkpoint_event_id ?? String(checkpoint_id) };
}

function recordedOf(events: readonly Event[]): RecordedReplay[] {
  return events
    .filter(({ event }) => event === 'replay.event_replayed')
    .map(({ id, payload }) => ({ eventId: id, sha256: String(payload['sha256']) }));
}

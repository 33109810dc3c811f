import type { Facts } from '#core/facts.ts';
import { load, loadMemory } from '#core/load.ts';
import { isEventId } from '#eventlog/event-id.ts';
import type { Event, Transaction } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/sha256.ts';
import { parseStrictText } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { contentOf } from '#resources/artifact/content.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { SessionFold, TaskState } from '#resources/states.ts';
import { frameKey } from '#store/keys.ts';
import { hashOf } from './record/compare.ts';
import { framesInRow, wholeFrame } from './record/frame-row.ts';
import type { PlanSource } from './record/plan.ts';
import type { RecordedFrame } from './record/recorded-frame.ts';
import type { Refreshable } from './schema.ts';

/** What a plan may know of its source, as the caller may see it. */
export function planSource(tx: Transaction, facts: Facts, { resource, internal }: TaskState): PlanSource {
  return {
    task: resource,
    transitions: internal.transitions,
    frame: (key) => findFrame(tx, resource.id, key),
    event: (id) => eventOf(tx, resource.id, id),
    artifact: (id, param) => jsonArtifact(tx, facts, id, param),
    refreshed: (what) => REFRESHED[what](tx, facts, resource.session_id),
  };
}

function findFrame(
  tx: Transaction,
  taskId: string,
  key: string,
): { record: RecordedFrame; sha256: string } | undefined {
  let n = 1;
  for (let row = tx.recorded(frameKey(taskId, n)); row; row = tx.recorded(frameKey(taskId, n))) {
    const frames = framesInRow(row);
    const stored = frames.find((frame) => frame.key === key);
    const record = stored && wholeFrame(stored, (id) => tx.event(id));
    if (record) return { record, sha256: hashOf(record.frame as unknown as JsonValue) };
    n += frames.length;
  }
  return undefined;
}

function eventOf(tx: Transaction, taskId: string, id: string): Event | undefined {
  const event = isEventId(id) ? tx.event(id) : undefined;
  return event?.task_id === taskId ? event : undefined;
}

function jsonArtifact(
  tx: Transaction,
  facts: Facts,
  id: string,
  param: string,
): { value: JsonValue; sha256: string } {
  const state = load(tx, facts.caller, 'artifact', id, param);
  const { bytes } = contentOf(state, (key) => tx.recorded(key));
  try {
    return { value: parseStrictText(bytes.toString('utf8')), sha256: `sha256:${sha256Hex(bytes)}` };
  } catch (cause) {
    throw new ProtocolError('invalid_request', 'The content of this Artifact is no JSON. Upload JSON.', {
      param,
      cause,
    });
  }
}

/** What the run could learn anew, by its hash. Its own facts are recorded; only these come from now. */
const REFRESHED: {
  readonly [What in Refreshable]: (tx: Transaction, facts: Facts, sessionId: string) => string;
} = {
  memory: (tx, facts, sessionId) => hashOf(memoriesOf(tx, facts, sessionId)),
  // Which secrets there are is for the operator; that they were read again is all a receipt may say.
  secrets: () => hashOf({ refreshed: 'secrets' }),
  host_facts: (_tx, { limits }) => hashOf({ inline_bytes: limits.inlineBytes }),
};

/** The Memories of the Session; one that is gone cannot be refreshed. */
function memoriesOf(tx: Transaction, facts: Facts, sessionId: string): JsonValue {
  const session = tx.get<SessionFold>(stateKey.session(sessionId));
  return (session?.internal.memory_ids ?? []).map((id) => {
    const { resource } = loadMemory(tx, facts.caller, id, tx.time, 'metadata.refresh');
    return { id: resource.id, updated_at: resource.updated_at };
  });
}

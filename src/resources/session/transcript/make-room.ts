import type { DecisionTools } from '#core/facts.ts';
import { newEvent, placeOfSession } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { jsonSize } from '#json/large-json.ts';
import { type Clean, type CleanText, sentence, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { MessageInput } from '#resources/message/schema.ts';
import { type CleanSessionFold, sessionKeys } from '../state.ts';
import { archiveUpTo, boundaryUpTo, extractOf, firstLiveTurn, KEPT_MULTIMODAL } from './archive-turns.ts';
import { budgetOf, type Incoming, overrun, type TranscriptBudget, usageOf } from './budget.ts';
import type { BudgetReason, TranscriptArchive } from './schema.ts';
import { turnAt } from './turns.ts';

/** A frame of an agent brings one at most, as a rule; its size is not known yet. */
const ONE_MESSAGE: Incoming = { messages: 1, events: 1, bytes: 0 };

type Tools = Pick<DecisionTools, 'limits' | 'redact'>;

/**
 * Makes room for a Message of a caller in the transcript of a Session, by the recovery policy of the Session. Throws 409
 * `conflict` when the policy is `reject`, or when what still has to be sent fills the transcript; 413 for a Message that is
 * larger than all of it. Spec: Transcript architecture, "hard transcript retention budgets".
 */
export function makeRoom(tx: Transaction, tools: Tools, sessionId: string, message: MessageInput): void {
  const incoming: Incoming = {
    messages: 1,
    events: 1,
    // Asked for only by a budget that counts bytes.
    get bytes() {
      return jsonSize(message.parts);
    },
  };
  const over = recover(tx, tools, sessionId, incoming);
  if (over === undefined) return;
  const { reason, budget, usage } = over;
  const details: JsonObject = { reason, limit: budget[reason], used: usage[reason] };
  const bytes = reason === 'bytes' ? incoming.bytes : 0;
  if (bytes > (budget.bytes ?? bytes)) {
    const text = `The message has ${bytes} bytes, the whole transcript may have ${budget.bytes}. Send less, or register it as an Artifact and refer to it.`;
    throw new ProtocolError('payload_too_large', text, { param: 'parts', details });
  }
  const wayOut =
    budget.recovery === 'reject'
      ? 'Compact or truncate the session, or set metadata.transcript_budget.recovery to compact or trim.'
      : 'What still waits to be sent cannot be archived: wait for its task, submit one, or truncate the session.';
  throw new ProtocolError(
    'conflict',
    `The transcript of this session is full: ${usage[reason]} of ${budget[reason]} ${reason}. ${wayOut}`,
    { details },
  );
}

/** The same for what an agent says, which is recorded in any case. To call before the events of its words. */
export function makeRoomForAgent(tx: Transaction, tools: Tools, sessionId: string): void {
  recover(tx, tools, sessionId, ONE_MESSAGE);
}

interface Overrun {
  reason: BudgetReason;
  budget: TranscriptBudget;
  usage: ReturnType<typeof usageOf>;
}

/** What is still too much after recovery; undefined when it fits. */
function recover(tx: Transaction, tools: Tools, sessionId: string, incoming: Incoming): Overrun | undefined {
  const session = tx.get<CleanSessionFold>(sessionKeys.session(sessionId));
  if (session === undefined) return undefined;
  const budget = budgetOf(tools.limits.transcript, session.resource.metadata);
  const reason = overrun(usageOf(session.internal), incoming, budget);
  if (reason === undefined) return undefined;
  if (budget.recovery !== 'reject') archiveOldTurns(tx, tools, session, budget, reason);
  const usage = usageOf(
    tx.get<CleanSessionFold>(sessionKeys.session(sessionId))?.internal ?? session.internal,
  );
  const left = overrun(usage, incoming, budget);
  return left && { reason: left, budget, usage };
}

function archiveOldTurns(
  tx: Transaction,
  { redact }: Tools,
  session: CleanSessionFold,
  budget: TranscriptBudget,
  reason: BudgetReason,
): void {
  const to = boundaryUpTo(tx, session, halfOf(tx, session, budget));
  const from = firstLiveTurn(session);
  if (to <= from) return;
  const compacts = budget.recovery === 'compact';
  const before = session.internal.archive;
  const summary = compacts
    ? { text: redact(extractOf(tx, session, to)).value, source: 'extract' as const }
    : { text: before?.summary ?? null, source: before?.summary_source ?? null };
  const kept = Math.min(KEPT_MULTIMODAL, Math.floor(budget.messages / 4));
  const archive = archiveUpTo(tx, session, to, summary, kept);
  if (compacts) appendCompaction(tx, session, archive, sentence`The budget of ${word(reason)} was used up.`);
  const pointer = { object: 'session', id: session.resource.id };
  const { messages, events, bytes } = budget;
  tx.append(
    newEvent('vendor.harn_gateway.transcript_budget', pointer, placeOfSession(session.resource), {
      action: compacts ? 'compacted' : 'trimmed',
      reason,
      limits: { messages, events, bytes },
      before: usageOf(session.internal),
      after: usageOf(session.internal, archive),
      ...(compacts ? {} : { archive }),
    }),
  );
}

/** Appends the event of a compaction. */
export function appendCompaction(
  tx: Transaction,
  session: CleanSessionFold,
  archive: Clean<TranscriptArchive>,
  reason: CleanText | null,
): void {
  const pointer = { object: 'session', id: session.resource.id };
  const payload = { archive, compacted_turn_count: archive.turns - firstLiveTurn(session), reason };
  tx.append(newEvent('session.compacted', pointer, placeOfSession(session.resource), payload));
}

/** The first boundary that leaves at most half of every limit, so that recovery is rare; all turns where none does. */
function halfOf(tx: Transaction, session: CleanSessionFold, budget: TranscriptBudget): number {
  const { messages, events = 0, bytes = 0 } = session.internal;
  const fits = (to: number): boolean => {
    const turn = turnAt(tx, session.resource.id, to - 1);
    const isSmall = budget.bytes === null || (bytes - (turn?.bytes ?? 0)) * 2 <= budget.bytes;
    const isShort = (events - (turn?.events ?? 0)) * 2 <= budget.events;
    return (messages - to) * 2 <= budget.messages && isShort && isSmall;
  };
  let low = firstLiveTurn(session) + 1;
  let high = messages;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return Math.min(low, messages);
}

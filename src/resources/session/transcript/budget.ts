import { type CleanJson, type CleanObject, isCleanObject } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { SessionFold } from '../state.ts';
import {
  type BudgetReason,
  type RecoveryPolicy,
  sessionBudget,
  type TranscriptArchive,
  type TranscriptUsage,
} from './schema.ts';

/** Member of the metadata of a Session: its own budget, and what was last done to keep it. */
const TRANSCRIPT_BUDGET = 'transcript_budget';

/** What a transcript may hold; `bytes` null: not counted. */
export interface TranscriptBudget {
  messages: number;
  events: number;
  bytes: number | null;
  recovery: RecoveryPolicy;
}

/** The budget of one Session: the configured one, or less where its metadata says so. */
export function budgetOf(configured: TranscriptBudget, metadata: JsonObject): TranscriptBudget {
  const given = metadata[TRANSCRIPT_BUDGET];
  const own = given === undefined ? undefined : sessionBudget.safeParse(given).data;
  if (own === undefined) return configured;
  const { max_messages = Infinity, max_events = Infinity, max_bytes = Infinity } = own;
  const bytes = Math.min(configured.bytes ?? Infinity, max_bytes);
  return {
    messages: Math.min(configured.messages, max_messages),
    events: Math.min(configured.events, max_events),
    bytes: bytes === Infinity ? null : bytes,
    recovery: own.recovery ?? configured.recovery,
  };
}

/** What the transcript holds now. */
export function usageOf(
  { messages, events = 0, bytes = 0, archive }: Usable,
  archived: TranscriptArchive | undefined = archive,
): TranscriptUsage {
  return {
    messages: messages - (archived?.turns ?? 0) + (archived?.kept.length ?? 0),
    events: Math.max(0, events - (archived?.counted.events ?? 0)),
    bytes: Math.max(0, bytes - (archived?.counted.bytes ?? 0)),
  };
}

type Usable = Pick<SessionFold['internal'], 'messages' | 'events' | 'bytes' | 'archive'>;

/** What is to be added. */
export type Incoming = TranscriptUsage;

/** The first limit that would be passed; undefined when all of it fits. */
export function overrun(
  usage: TranscriptUsage,
  incoming: Incoming,
  budget: TranscriptBudget,
): BudgetReason | undefined {
  if (usage.messages + incoming.messages > budget.messages) return 'messages';
  if (usage.events + incoming.events > budget.events) return 'events';
  if (budget.bytes !== null && usage.bytes + incoming.bytes > budget.bytes) return 'bytes';
  return undefined;
}

/**
 * Metadata of a caller with a `transcript_budget` that can be kept: `last_action` stays what the gateway wrote (`before`).
 * Throws 400 naming the member that is wrong.
 */
export function withOwnBudget(metadata: CleanObject, before: CleanObject = {}): CleanObject {
  const given = metadata[TRANSCRIPT_BUDGET];
  if (given === undefined) return metadata;
  const known = lastAction(before[TRANSCRIPT_BUDGET]);
  const policy = given === null ? {} : checked(given);
  const { last_action: _, ...own } = policy;
  return { ...metadata, [TRANSCRIPT_BUDGET]: known === undefined ? own : { ...own, last_action: known } };
}

function checked(given: CleanJson): CleanObject {
  const { error } = sessionBudget.safeParse(given);
  if (error === undefined && isCleanObject(given)) return given;
  const [issue] = error?.issues ?? [];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const param = ['metadata', TRANSCRIPT_BUDGET, ...(issue?.path ?? []), ...unknown].join('.');
  const message = `${param}: ${issue?.message ?? 'is wrong'}. It takes max_messages, max_events, max_bytes and recovery.`;
  throw new ProtocolError('invalid_request', message, { param });
}

function lastAction(budget: CleanJson | undefined): CleanJson | undefined {
  return isCleanObject(budget) ? budget['last_action'] : undefined;
}

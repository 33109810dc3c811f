import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { RuleAnswer } from '#resources/permission-rule/schema.ts';
import type { PermissionOption, PermissionToolCall } from './schema.ts';

/** What a peer wants before it goes on; it becomes a permission request that any surface can answer. */
export type PermissionDraft = PermissionAsk &
  ({ kind: 'tool'; toolCall: PermissionToolCall } | { kind: 'authorization' | 'elicitation' });

/** What every kind of permission draft says; `elicitation` blocks as INPUT_REQUIRED, the others as AUTH_REQUIRED. */
export interface PermissionAsk {
  /**
   * The peer's request id, unique per task, for a peer that waits inside its running turn: the answer comes through
   * `ProtocolClient.answer`. Left out, an approval is the message of the next turn and a denial cancels the task; a tool call
   * without it is one that the gateway itself holds back before the turn begins.
   */
  upstreamId?: string;
  /** The peer took nothing of the turn, for example because somebody has to log in first: an approval sends it again. */
  resends?: true;
  source: 'acp' | 'hitl';
  message: string;
  /** What is to be done, in one word or as the peer says it; default: the tool's name, or the kind. */
  action?: JsonValue;
  /** Default: approve and deny, for an elicitation none. */
  options?: PermissionOption[];
  /** JSON Schema of the answer. */
  requestedSchema?: JsonValue;
  url?: string;
  /** Denied after this time; default `limits.permission_timeout_ms`. */
  timeoutMs?: number;
  metadata?: JsonObject;
  /**
   * What the question is about, as the peer says it: an answer for good is one to every question with an equal subject. Left
   * out where the policy lets none be remembered.
   */
  subject?: JsonObject;
  /** It was answered for good before: nobody is asked, and the peer has the answer. */
  remembered?: RememberedAnswer;
  /** A rule or the policy of the tenant answers, and nobody is asked. */
  answeredBy?: RuleAnswer;
}

/** An answer for good, and the permission request that it was given to. */
export interface RememberedAnswer {
  request_id: string;
  approved: boolean;
}

/** The decision about a `permission` move, as the caller gave it. */
export interface PermissionAnswer {
  upstreamId: string;
  approved: boolean;
  /** The chosen option; where the caller named none, the narrowest that fits. */
  optionId: string | null;
  answer?: JsonValue;
  /** `timeout`, or the reviewer's words. */
  reason: string | null;
}

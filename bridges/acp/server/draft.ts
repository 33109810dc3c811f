import type { JsonObject } from '#protocol/json.ts';
import type { SessionState } from '#resources/session/schema.ts';
import type { OutEvent } from '../../../mappings/acp/events-out.ts';
import type { RpcId } from '../wire/json-rpc.ts';

/** What a client of the draft version 2 is told besides; version 1 has no words for it. */
export interface Draft {
  /** The prompt of this request is a Message of the log now. */
  accepted(requestId: RpcId, messageId: string): void;
  /** Updates of the state that an event means. */
  statesOf(sessionId: string, event: OutEvent): JsonObject[];
  /** The update that tells the state after an attachment; `state`: as it was read before. */
  stateNow(sessionId: string, state: SessionState): JsonObject;
}

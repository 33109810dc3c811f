import type { Transaction } from '../eventlog/event-log.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { CommandId, OperationInput } from '../protocol/operations.ts';
import type { Facts } from './facts.ts';

/** What a command decided: the resource to answer with, and the status when it is not the operation's usual one. */
export interface Decided {
  body: object;
  status?: number;
}

/**
 * A command decides on the newest state and appends what happened; it is pure but for its arguments. `defer` makes it
 * two-phased: after the first phase is durable the named wait happens, then `conclude` decides the answer.
 */
export interface Command<Id extends CommandId> {
  decide(input: OperationInput<Id>, tx: Transaction, facts: Facts): Decided | Deferred;
  conclude?(input: OperationInput<Id>, tx: Transaction, facts: Facts): Decided;
}

/** The answer has to wait for the upstream to take note of a cancel. */
export interface Deferred {
  awaitCancel: { taskId: string };
}

export function isDeferred(decided: Decided | Deferred): decided is Deferred {
  return 'awaitCancel' in decided;
}

/** Metadata of a request, with the default. */
export function metadataOf(body: { metadata?: JsonObject | undefined }): JsonObject {
  return body.metadata ?? {};
}

import type { Event } from '#eventlog/event-log.ts';
import type { SaidSlot, SaidSlots } from '#eventlog/segment.ts';
import { type MessageState, messageKeys } from '#resources/message/state.ts';
import { type ReceiptState, receiptKeys } from '#resources/receipt/state.ts';
import { taskKeys } from '#resources/task/state.ts';
import { importMarkOf, localEvent } from './bundle/fold-imported.ts';
import type { Message } from './message/schema.ts';
import { payload } from './payload.ts';
import { RECEIPT_FORMAT, receiptSummary } from './receipt/schema.ts';

/** The Message that an event says; undefined for an event that says none. */
export function messageSaid(event: Event): Message | undefined {
  if (event.event === 'user.message') return payload(event, 'user.message').message;
  if (event.event === 'agent.message') return payload(event, 'agent.message').message;
  return payload(event, 'session.message_appended').message;
}

/** The Receipt resource of a `receipt.issued` event, before anybody verified it. */
export function receiptSaid(event: Event): ReceiptState['resource'] | undefined {
  const { session_id, task_id, workspace_id } = event;
  if (session_id === null || task_id === null || workspace_id === null) return undefined;
  const { receipt_id, subject, final_state, issuer } = payload(event, 'receipt.issued');
  return {
    id: receipt_id,
    object: 'receipt',
    created_at: event.created_at,
    updated_at: event.created_at,
    metadata: {},
    workspace_id,
    session_id,
    task_id,
    subject,
    format: RECEIPT_FORMAT,
    summary: receiptSummary(subject.object, subject.id, final_state),
    issued_at: event.created_at,
    issuer,
    verification: null,
  };
}

const SLOTS: Readonly<Record<string, SaidSlot>> = {
  [messageKeys.message('')]: {
    path: ['resource'],
    make: messageSaid,
    rest: { internal: { sealed: false } } satisfies Partial<MessageState>,
  },
  [receiptKeys.receipt('')]: { path: ['resource'], make: receiptSaid },
  [taskKeys.task('')]: {
    path: ['resource', 'input'],
    make: (event) => payload(event, 'task.submitted').task.input,
    alsoIn: (input) => ('id' in input && input.id ? messageKeys.message(String(input.id)) : undefined),
  },
};

/** Made of the event as the folds read it. */
const SLOTS_OF_LOG: ReadonlyMap<string, SaidSlot> = new Map(
  Object.entries(SLOTS).map(([prefix, slot]) => [
    prefix,
    {
      ...slot,
      make: (event) => {
        const mark = importMarkOf(event);
        return slot.make(mark === undefined ? event : localEvent(event, mark));
      },
    },
  ]),
);

/** What the states of a Message, a Receipt and a Task hold of what an event said. */
export const saidSlots: SaidSlots = (key) => SLOTS_OF_LOG.get(key.slice(0, key.indexOf('/', 2) + 1));

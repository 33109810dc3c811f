import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey, idTextKey } from '#resources/states.ts';
import type { Message } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const messageKeys = {
  message: idKey<CleanMessageState>('r/message/'),
  /** By task. */
  upstreamMessage: idTextKey('x/um/'),
} as const;

export type MessageState = Folded<Message, { sealed: boolean }>;

/** A Message of an agent; the newest ones of a Task with the id that the agent gave them, where it gave one. */
export type SaidMessage = string | readonly [id: string, upstreamId: string];

/** Message id given to an upstream's message id within a task, once more was said than the Task keeps these ids of. */
export interface UpstreamMessageState {
  message_id: string;
}

/** As they are read: what was folded of clean events is clean. */
export type CleanMessageState = Clean<MessageState>;

import type { Caller } from '#auth/caller.ts';
import type { Facts } from '#core/facts.ts';
import { isMemberOf, notFound } from '#core/load.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import type { Clean } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { DeadLetterState, PushTarget, PushTargetsState } from './fold.ts';
import { type DeadLetter, webhookOf } from './schema.ts';
import { pushKeys } from './state.ts';

/** What callers asked for; the webhooks of the configuration are none of their business. */
export function pushTargetsOf(reader: StateReader, taskId: string): readonly Clean<PushTarget>[] {
  return allTargetsOf(reader, taskId).filter(({ resource }) => webhookOf(resource) === undefined);
}

export function allTargetsOf(reader: StateReader, taskId: string): readonly Clean<PushTarget>[] {
  return reader.get<Clean<PushTargetsState>>(pushKeys.pushTargets(taskId))?.targets ?? [];
}

/** A push config of a task that the caller may see. */
export function loadPushTarget(reader: StateReader, taskId: string, id: string): Clean<PushTarget> {
  const found = pushTargetsOf(reader, taskId).find(({ resource }) => resource.id === id);
  if (!found) throw notFound('push_config');
  return found;
}

export function loadDeadLetter(reader: StateReader, caller: Caller, id: string): Clean<DeadLetter> {
  const found = /^[A-Za-z0-9_.-]{1,128}$/.test(id)
    ? reader.get<Clean<DeadLetterState>>(pushKeys.deadLetter(id))?.resource
    : undefined;
  if (!found || !isMemberOf(reader, caller, found.workspace_id)) throw notFound('dead_letter');
  return found;
}

/** A URL is kept and shown as it is, so nothing secret may stand in it. */
export function refuseSecretUrl(url: string, { redact }: Pick<Facts, 'redact'>): void {
  if (!redact({ url }).hit) return;
  const message = 'The URL holds something secret. Use token, authentication or secret for that.';
  throw new ProtocolError('invalid_request', message, { param: 'url' });
}

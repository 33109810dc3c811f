import type { Command, CommandInput, Decided, Handlers } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { load } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type Clean, type CleanText, own } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isTerminal } from '#protocol/task-states.ts';
import { inputKey } from '#store/keys.ts';
import {
  allTargetsOf,
  loadDeadLetter,
  loadPushTarget,
  pushTargetsOf,
  refuseSecretUrl,
} from './push-targets.ts';
import { getPushConfig, listDeadLetters, listPushConfigs } from './queries.ts';
import type { PushConfig } from './schema.ts';

const BEGINNING = own('0'.repeat(20));

/** More receivers of one task are an attack on them. */
const MAX_CONFIGS_OF_TASK = 8;

type Input = CommandInput<'setPushConfig'>;

/**
 * The URL is checked before anything is kept, and again at each delivery. A Task that is over may have configs too; one from now
 * on has nothing to deliver. Spec: A2A 1.0, 3.1.7.
 */
const setPushConfig: Command<'setPushConfig'> = {
  decide(input, tx, facts) {
    admitTarget(input, tx, facts);
    return { effect: { kind: 'check_target', url: input.sent.url } };
  },

  conclude(input, tx, facts) {
    const { resource: task } = admitTarget(input, tx, facts);
    const { body, sent } = input;
    const replaced = sameName(input, tx);
    if (replaced !== undefined) tx.erase(inputKey(replaced));
    const resource: Clean<PushConfig> = {
      id: facts.newId('push_config'),
      object: 'push_config',
      created_at: tx.time,
      updated_at: tx.time,
      metadata: {},
      task_id: task.id,
      client_id: body.client_id ?? null,
      url: body.url,
      form: body.form,
      has_token: body.token !== undefined,
      authentication_scheme: body.authentication?.scheme ?? null,
      is_signed: body.secret !== undefined || isSignedToken(body),
    };
    const { token, authentication, secret } = sent;
    tx.record(
      inputKey(resource.id),
      facts.sealInput(Buffer.from(JSON.stringify({ token, authentication, secret }))),
    );
    const payload = {
      push_config: resource,
      session_id: task.session_id,
      after_event_id: body.from === 'now' ? tx.position : BEGINNING,
      replaces: replaced ?? null,
      ...(isTerminal(task.status) && body.from === 'now' ? { is_done: true } : {}),
    };
    const pointer = { object: 'push_config', id: resource.id };
    const place = { workspace_id: task.workspace_id };
    tx.append(newEvent('vendor.harn_gateway.push_config_set', pointer, place, payload));
    tx.afterCommit(() => facts.outbox.wake(task.id));
    return { body: resource } satisfies Decided;
  },
};

function isSignedToken({ authentication }: Input['body']): boolean {
  return authentication !== undefined && authentication.credentials === undefined;
}

function admitTarget({ path, body, sent }: Input, tx: Transaction, facts: Facts) {
  const task = load(tx, facts.caller, 'task', path.task_id);
  if (!facts.outbox.forms.includes(body.form))
    throw new ProtocolError('invalid_request', `form must be one of ${facts.outbox.forms.join(', ')}.`, {
      param: 'form',
    });
  refuseSecretUrl(sent.url, facts);
  const others = pushTargetsOf(tx, task.resource.id).filter(
    ({ resource }) => resource.id !== sameName({ path, body }, tx),
  );
  if (others.length >= MAX_CONFIGS_OF_TASK) {
    const message = `A Task has at most ${MAX_CONFIGS_OF_TASK} push configs. Delete one first.`;
    throw new ProtocolError('conflict', message, { param: 'task_id' });
  }
  return task;
}

function sameName({ path, body }: Pick<Input, 'path' | 'body'>, tx: Transaction): CleanText | undefined {
  if (body.client_id === undefined) return undefined;
  return pushTargetsOf(tx, path.task_id).find(({ resource }) => resource.client_id === body.client_id)
    ?.resource.id;
}

const deletePushConfig: Command<'deletePushConfig'> = {
  decide({ path }, tx, facts) {
    const task = load(tx, facts.caller, 'task', path.task_id).resource;
    const { resource } = loadPushTarget(tx, task.id, path.push_config_id);
    tx.erase(inputKey(resource.id));
    const pointer = { object: 'push_config', id: resource.id };
    const place = { workspace_id: task.workspace_id };
    tx.append(newEvent('vendor.harn_gateway.push_config_deleted', pointer, place, { task_id: task.id }));
    tx.afterCommit(() => facts.outbox.wake(task.id));
    return { body: {} };
  },
};

/** Retrying twice at a time is the same as once. */
const retryDeadLetter: Command<'retryDeadLetter'> = {
  decide({ path }, tx, facts) {
    const letter = loadDeadLetter(tx, facts.caller, path.dead_letter_id);
    if (letter.status === 'delivered')
      throw new ProtocolError('conflict', 'The delivery has arrived meanwhile.', { param: 'dead_letter_id' });
    const isThere = allTargetsOf(tx, letter.task_id).some(
      ({ resource }) => resource.id === letter.push_config_id,
    );
    if (!isThere)
      throw new ProtocolError('conflict', 'Its push config is gone; there is nowhere to deliver it to.', {
        param: 'dead_letter_id',
      });
    if (letter.status === 'dead') {
      const pointer = { object: 'dead_letter', id: letter.id };
      const place = { workspace_id: letter.workspace_id };
      tx.append(newEvent('vendor.harn_gateway.dead_letter_changed', pointer, place, { status: 'retrying' }));
    }
    tx.afterCommit(() => facts.outbox.retry(letter.id));
    return { body: loadDeadLetter(tx, facts.caller, letter.id) };
  },
};

export const handlers = {
  deletePushConfig,
  retryDeadLetter,
  setPushConfig,
  getPushConfig,
  listDeadLetters,
  listPushConfigs,
} satisfies Partial<Handlers>;

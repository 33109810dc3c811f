import type { DecisionTools } from '#core/facts.ts';
import { newEvent } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type Clean, type CleanText, word } from '#protocol/clean.ts';
import { allTargetsOf } from '#resources/push/push-targets.ts';
import { APPROVALS_FORM, type PushConfig, webhookUrl } from '#resources/push/schema.ts';
import type { TaskState } from '#resources/read-states.ts';

/**
 * Lets the webhooks of the workspace hear of what a task asks, from the event after `position` on. They are push configs of
 * the task that name the webhook in the place of a URL: where it is and its secret are known at each post only.
 */
export function tellWebhooks(
  tx: Transaction,
  tools: Pick<DecisionTools, 'newId' | 'outbox'>,
  { resource: task }: TaskState,
  { webhooks, position }: { webhooks: readonly CleanText[]; position: CleanText },
): void {
  if (webhooks.length === 0) return;
  // Recorded beside the run, so that the events of the run stay without a gap.
  tx.atEnd(() => {
    const known = allTargetsOf(tx, task.id);
    for (const id of webhooks) {
      if (known.some(({ resource }) => resource.url === webhookUrl(id))) continue;
      const push_config = configOf(tools.newId('push_config'), tx.time, task.id, id);
      const payload = { push_config, session_id: task.session_id, after_event_id: position, replaces: null };
      const pointer = { object: 'push_config', id: push_config.id };
      const place = { workspace_id: task.workspace_id };
      tx.append(newEvent('vendor.harn_gateway.push_config_set', pointer, place, payload));
    }
    tx.afterCommit(() => tools.outbox.wake(task.id));
  });
}

function configOf(id: CleanText, time: CleanText, task_id: CleanText, webhook: CleanText): Clean<PushConfig> {
  return {
    id,
    object: 'push_config',
    created_at: time,
    updated_at: time,
    metadata: {},
    task_id,
    client_id: null,
    url: webhookUrl(webhook),
    form: word(APPROVALS_FORM),
    has_token: false,
    authentication_scheme: null,
    is_signed: true,
  };
}

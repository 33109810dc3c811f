import type { Command } from '#core/command.ts';
import { load } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import { inputKey } from '#store/keys.ts';
import { loadPushTarget } from './push-targets.ts';

export const deletePushConfig: Command<'deletePushConfig'> = {
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

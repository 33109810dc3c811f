import { listOf } from '#core/collection.ts';
import { listGiven, paging } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import { loadPushTarget, pushTargetsOf } from './push-targets.ts';
import { pushKeys } from './state.ts';

export const listPushConfigs: Query<'listPushConfigs'> = ({ path, query }, tools) => {
  const task = load(tools.reader, tools.caller, 'task', path.task_id).resource;
  const configs = pushTargetsOf(tools.reader, task.id).map(({ resource }) => resource);
  return listGiven(tools, configs, paging(query));
};

export const getPushConfig: Query<'getPushConfig'> = ({ path }, { reader, caller }) => {
  const task = load(reader, caller, 'task', path.task_id).resource;
  return ok(loadPushTarget(reader, task.id, path.push_config_id).resource, caller);
};

export const listDeadLetters = listOf({ keyOf: pushKeys.deadLetter, ofWorkspace: pushKeys.deadLetters });

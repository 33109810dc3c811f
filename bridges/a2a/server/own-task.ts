import type { Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Task } from '#resources/task/schema.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';
import { ask } from '../../wire/gateway-calls.ts';
import type { Addressed } from './agents.ts';
import type { Asking } from './asking.ts';

/** A Task of this agent, or TaskNotFound: hidden, absent and another agent's are alike. */
export async function ownTask(
  gateway: Gateway,
  { exchange, to }: Pick<Asking, 'exchange' | 'to'>,
  id: string,
): Promise<Task> {
  const call = exchange.call({ path: { task_id: id } });
  const task = await ask<Task>(gateway, 'getTask', call).catch((error: unknown) => {
    throw error instanceof ProtocolError && error.code === 'resource_not_found' ? taskNotFound() : error;
  });
  if (!isOf(task, to)) throw taskNotFound();
  return task;
}

function isOf(task: Task, { agent, persona }: Addressed): boolean {
  return persona === undefined ? task.assigned_agent_id === agent?.route : task.persona_id === persona.id;
}

function taskNotFound(): ProtocolError {
  return refusal('TaskNotFound', 'No task with this id here.', 'id');
}

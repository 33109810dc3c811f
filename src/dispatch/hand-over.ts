import type { StateReader, Transaction } from '../eventlog/event-log.ts';
import { refusedHandoff } from '../policy/action.ts';
import type { PersonaState, TaskState } from '../projections/read-states.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { Clean } from '../protocol/clean.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Task } from '../protocol/resources/task.ts';
import { newEvent } from './new-event.ts';

/** Who takes over work of a Task: a Persona, or an agent by its route. */
export interface Successor {
  route: string;
  personaId: string | undefined;
}

/** Refuses a child that the Persona of its parent may not hand work to. Throws 422 `policy_violation`. */
export function refuseHandOver(reader: StateReader, parent: TaskState | undefined, to: Successor): void {
  const personaId = parent?.resource.persona_id;
  const persona = personaId ? reader.get<PersonaState>(stateKey.persona(personaId))?.resource : undefined;
  const refused = persona && refusedHandoff(persona, to);
  if (refused === undefined) return;
  const message = `${refused.because} Choose another Persona or route, or ask your operator.`;
  throw new ProtocolError('policy_violation', message, {
    param: 'parent_task_id',
    details: { rule: refused.rule },
  });
}

/** Tells the session of a parent who took over work of it. Its own stream is not told: its run goes on as it is. */
export function recordHandOver(tx: Transaction, { resource: parent }: TaskState, child: Clean<Task>): void {
  const { session_id, workspace_id } = parent;
  tx.append(
    newEvent(
      'agent.handoff',
      { object: 'session', id: session_id },
      { session_id, workspace_id },
      {
        from_task_id: parent.id,
        from_persona_id: parent.persona_id,
        task_id: child.id,
        persona_id: child.persona_id,
        agent: child.assigned_agent_id,
      },
    ),
  );
}

import { type Message, TaskState } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { stepsFor, turnOf } from './behaviour-table.ts';
import type { RunningTurns } from './running-turns.ts';
import { opened, type Turn } from './steps.ts';
import { type AgentPorts, TurnEvents } from './turn-events.ts';

/** Joins the behaviours to the SDK: one `execute` per message, canceled by `cancelTask`. */
export class SampleExecutor implements AgentExecutor {
  readonly #turns: RunningTurns;
  readonly #ports: AgentPorts;
  /** The context of each unfinished task; the SDK gives `cancelTask` the task id only. */
  readonly #contextIds = new Map<string, string>();

  constructor(turns: RunningTurns, ports: AgentPorts) {
    this.#turns = turns;
    this.#ports = ports;
  }

  execute = async (request: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const { taskId, contextId } = request;
    const events = new TurnEvents(this.#ports, taskId, contextId);
    const turn = turnOf(textOf(request.userMessage), awaitedBy(request));
    let waiting = false;
    this.#contextIds.set(taskId, contextId);
    await this.#turns.play(taskId, opened(stepsFor(turn)), (step) => {
      waiting = step.do === 'status' && (step.state === 'input-required' || step.state === 'auth-required');
      bus.publish(events.of(step, request));
    });
    if (!waiting) this.#contextIds.delete(taskId);
  };

  cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    const contextId = this.#contextIds.get(taskId) ?? '';
    this.#contextIds.delete(taskId);
    this.#turns.cancel(taskId);
    bus.publish(new TurnEvents(this.#ports, taskId, contextId).status('canceled', 'Canceled as you asked.'));
    bus.finished();
  };
}

function textOf(message: Message): string {
  return message.parts
    .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
    .filter((text) => text !== '')
    .join('\n');
}

function awaitedBy(request: RequestContext): Turn['awaited'] {
  switch (request.task?.status?.state) {
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return 'input';
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      return 'auth';
    default:
      return undefined;
  }
}

import { randomUUID } from 'node:crypto';
import { type Message, type Part, Role, TaskState, type TaskStatus } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutionEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { type Awaited, type Content, type PlayedStep, played, type State, stepsFor } from './behaviours.ts';

const STATES = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  'auth-required': TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  rejected: TaskState.TASK_STATE_REJECTED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Record<State | 'canceled', TaskState>;

/** A task that has not ended. */
interface OpenTask {
  readonly contextId: string;
  readonly cancel: AbortController;
  /** Ends with the work on the last message; undefined while the task waits for the next one. */
  readonly turn: Promise<void> | undefined;
}

/** The agent: the SDK calls `execute` with each message and `cancelTask` with each cancel, and sends what goes over the bus. */
export class SampleExecutor implements AgentExecutor {
  readonly #tasks = new Map<string, OpenTask>();
  readonly #now: () => Date;
  readonly #newId: () => string;

  /** `now` and `newId` give the times and the ids of messages; tests hand in their own. */
  constructor(now = () => new Date(), newId: () => string = randomUUID) {
    this.#now = now;
    this.#newId = newId;
  }

  execute = (request: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const { taskId, contextId } = request;
    const working = this.#tasks.get(taskId)?.turn;
    // Who sends a message to a task that works waits with it and sees what it comes to.
    if (working !== undefined) return working;
    const cancel = new AbortController();
    const turn = this.#play(request, bus, cancel);
    this.#tasks.set(taskId, { contextId, cancel, turn });
    return turn;
  };

  cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    const task = this.#tasks.get(taskId);
    this.#tasks.delete(taskId);
    task?.cancel.abort();
    bus.publish(this.#statusUpdate(taskId, task?.contextId ?? '', 'canceled', 'Canceled as you asked.'));
    bus.finished();
  };

  /** Stops all work without a word. */
  stop(): void {
    for (const { cancel } of this.#tasks.values()) cancel.abort();
  }

  async #play(request: RequestContext, bus: ExecutionEventBus, cancel: AbortController): Promise<void> {
    const { taskId, contextId } = request;
    const steps = stepsFor(textOf(request.userMessage), awaitedBy(request));
    let state: State | undefined;
    try {
      for await (const step of played(steps, cancel.signal)) {
        if (step.do === 'status') state = step.state;
        bus.publish(this.#eventOf(step, request));
      }
    } finally {
      const isWaiting = state === 'input-required' || state === 'auth-required';
      if (isWaiting && !cancel.signal.aborted)
        this.#tasks.set(taskId, { contextId, cancel, turn: undefined });
      else this.#tasks.delete(taskId);
    }
    // The streams of this turn end here, also where the task waits: the next message has a stream of its own.
    bus.finished();
  }

  #eventOf(step: PlayedStep, request: RequestContext): AgentExecutionEvent {
    const { taskId, contextId, task, userMessage } = request;
    switch (step.do) {
      case 'task':
        return AgentEvent.task({
          id: taskId,
          contextId,
          status: this.#status(taskId, contextId, step.state, step.text),
          artifacts: task?.artifacts ?? [],
          history: task?.history ?? [userMessage],
          metadata: task?.metadata,
        });
      case 'status':
        return this.#statusUpdate(taskId, contextId, step.state, step.text);
      case 'artifact': {
        const { artifactId, contents, append, lastChunk } = step;
        const artifact = {
          artifactId,
          name: artifactId,
          description: '',
          parts: contents.map(partOf),
          metadata: undefined,
          extensions: [],
        };
        return AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact,
          append,
          lastChunk,
          metadata: undefined,
        });
      }
      case 'message':
        return AgentEvent.message(this.#message('', contextId, step.text));
    }
  }

  #statusUpdate(
    taskId: string,
    contextId: string,
    state: keyof typeof STATES,
    text?: string,
  ): AgentExecutionEvent {
    const status = this.#status(taskId, contextId, state, text);
    return AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined });
  }

  #status(taskId: string, contextId: string, state: keyof typeof STATES, text?: string): TaskStatus {
    const message = text === undefined ? undefined : this.#message(taskId, contextId, text);
    return { state: STATES[state], message, timestamp: this.#now().toISOString() };
  }

  #message(taskId: string, contextId: string, text: string): Message {
    return {
      messageId: this.#newId(),
      contextId,
      taskId,
      role: Role.ROLE_AGENT,
      parts: [partOf({ text })],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }
}

function textOf(message: Message): string {
  return message.parts
    .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
    .filter((text) => text !== '')
    .join('\n');
}

function awaitedBy({ task }: RequestContext): Awaited | undefined {
  if (task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED) return 'input';
  return task?.status?.state === TaskState.TASK_STATE_AUTH_REQUIRED ? 'auth' : undefined;
}

function partOf(content: Content): Part {
  const plain = { metadata: undefined, filename: '' };
  if ('text' in content)
    return { ...plain, mediaType: 'text/plain', content: { $case: 'text', value: content.text } };
  if ('data' in content)
    return { ...plain, mediaType: 'application/json', content: { $case: 'data', value: content.data } };
  const { mediaType, filename, bytes } = content;
  return { ...plain, mediaType, filename, content: { $case: 'raw', value: Buffer.from(bytes) } };
}

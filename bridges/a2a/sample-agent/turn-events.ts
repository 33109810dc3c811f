import { type Message, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutionEvent, type RequestContext } from '@a2a-js/sdk/server';
import { type Clock, timestamp } from '../../../src/protocol/ports.ts';
import type { AnnouncedState, ArtifactStep, Content, OpenStep, PublishedStep } from './steps.ts';

/** Where the agent takes times and message ids from. */
export interface AgentPorts {
  readonly clock: Clock;
  /** Returns an id that was never returned before. */
  readonly newId: () => string;
}

const STATES = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  'auth-required': TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  rejected: TaskState.TASK_STATE_REJECTED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Record<AnnouncedState | 'canceled', TaskState>;

/** Spells the steps of one task's turn as A2A 1.0 events. */
export class TurnEvents {
  readonly #ports: AgentPorts;
  readonly #taskId: string;
  readonly #contextId: string;

  constructor(ports: AgentPorts, taskId: string, contextId: string) {
    this.#ports = ports;
    this.#taskId = taskId;
    this.#contextId = contextId;
  }

  of(step: PublishedStep, request: RequestContext): AgentExecutionEvent {
    switch (step.do) {
      case 'open':
        return AgentEvent.task(this.#snapshot(step, request));
      case 'message':
        return AgentEvent.message({ ...this.#message(step.text), taskId: '' });
      case 'status':
        return this.status(step.state, step.text);
      case 'artifact':
        return this.#artifact(step);
    }
  }

  status(state: keyof typeof STATES, text?: string): AgentExecutionEvent {
    return AgentEvent.statusUpdate({
      taskId: this.#taskId,
      contextId: this.#contextId,
      status: this.#status(state, text),
      metadata: undefined,
    });
  }

  #snapshot(step: OpenStep, request: RequestContext): Task {
    return {
      id: this.#taskId,
      contextId: this.#contextId,
      status: this.#status(step.state, step.text),
      artifacts: request.task?.artifacts ?? [],
      history: request.task?.history ?? [request.userMessage],
      metadata: request.task?.metadata,
    };
  }

  #artifact(step: ArtifactStep): AgentExecutionEvent {
    return AgentEvent.artifactUpdate({
      taskId: this.#taskId,
      contextId: this.#contextId,
      artifact: {
        artifactId: step.artifactId,
        name: step.name,
        description: '',
        parts: step.contents.map(partOf),
        metadata: undefined,
        extensions: [],
      },
      append: step.append,
      lastChunk: step.lastChunk,
      metadata: undefined,
    });
  }

  #status(state: keyof typeof STATES, text?: string): TaskStatus {
    return {
      state: STATES[state],
      message: text === undefined ? undefined : this.#message(text),
      timestamp: timestamp(this.#ports.clock.now()),
    };
  }

  #message(text: string): Message {
    return {
      messageId: this.#ports.newId(),
      contextId: this.#contextId,
      taskId: this.#taskId,
      role: Role.ROLE_AGENT,
      parts: [partOf({ text })],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }
}

function partOf(content: Content): Part {
  const plain = { metadata: undefined, filename: '', mediaType: '' };
  if ('text' in content) {
    return { ...plain, mediaType: 'text/plain', content: { $case: 'text', value: content.text } };
  }
  if ('data' in content) {
    return { ...plain, mediaType: 'application/json', content: { $case: 'data', value: content.data } };
  }
  const { mediaType, filename } = content;
  return { ...plain, mediaType, filename, content: { $case: 'raw', value: Buffer.from(content.bytes) } };
}

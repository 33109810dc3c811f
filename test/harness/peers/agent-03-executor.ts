import { randomUUID } from 'node:crypto';
import type { Message, Part, TaskState, TaskStatus } from 'a2a03';
import type { AgentExecutionEvent, AgentExecutor, ExecutionEventBus, RequestContext } from 'a2a03/server';
import {
  type Awaited,
  type Content,
  type PlayedStep,
  played,
  stepsFor,
} from '../../../config/sample-agent/behaviours.ts';

/** The states after which a 0.3 stream ends: their status update is `final`. */
const FINAL: readonly TaskState[] = [
  'input-required',
  'auth-required',
  'completed',
  'rejected',
  'failed',
  'canceled',
];

/** The behaviours of the sample agent on the 0.3 SDK. */
export class Agent03Executor implements AgentExecutor {
  readonly #turns = new Map<string, { contextId: string; cancel: AbortController }>();

  execute = async (request: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const cancel = new AbortController();
    this.#turns.set(request.taskId, { contextId: request.contextId, cancel });
    const text = request.userMessage.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
    const steps = stepsFor(text, awaitedBy(request.task?.status.state));
    for await (const step of played(steps, cancel.signal)) bus.publish(eventOf(step, request));
    bus.finished();
  };

  cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    const turn = this.#turns.get(taskId);
    turn?.cancel.abort();
    bus.publish(statusEvent(taskId, turn?.contextId ?? '', 'canceled', 'Canceled as you asked.'));
    bus.finished();
  };

  stop(): void {
    for (const { cancel } of this.#turns.values()) cancel.abort();
  }
}

function awaitedBy(state: TaskState | undefined): Awaited | undefined {
  if (state === 'input-required') return 'input';
  return state === 'auth-required' ? 'auth' : undefined;
}

function eventOf(step: PlayedStep, request: RequestContext): AgentExecutionEvent {
  const { taskId, contextId, task } = request;
  switch (step.do) {
    case 'task':
      return {
        kind: 'task',
        id: taskId,
        contextId,
        status: statusOf(taskId, contextId, step.state, step.text),
        history: task?.history ?? [request.userMessage],
        artifacts: task?.artifacts ?? [],
      };
    case 'message':
      return messageOf(contextId, step.text);
    case 'status':
      return statusEvent(taskId, contextId, step.state, step.text);
    case 'artifact': {
      const { artifactId, append, lastChunk } = step;
      const artifact = { artifactId, name: artifactId, parts: step.contents.map(partOf) };
      return { kind: 'artifact-update', taskId, contextId, artifact, append, lastChunk };
    }
  }
}

function statusEvent(
  taskId: string,
  contextId: string,
  state: TaskState,
  text: string | undefined,
): AgentExecutionEvent {
  const status = statusOf(taskId, contextId, state, text);
  return { kind: 'status-update', taskId, contextId, status, final: FINAL.includes(state) };
}

function statusOf(taskId: string, contextId: string, state: TaskState, text: string | undefined): TaskStatus {
  const status = { state, timestamp: new Date().toISOString() };
  return text === undefined ? status : { ...status, message: { ...messageOf(contextId, text), taskId } };
}

function messageOf(contextId: string, text: string): Message {
  return { kind: 'message', role: 'agent', messageId: randomUUID(), contextId, parts: [partOf({ text })] };
}

function partOf(content: Content): Part {
  if ('text' in content) return { kind: 'text', text: content.text };
  if ('data' in content) return { kind: 'data', data: content.data };
  const bytes = Buffer.from(content.bytes).toString('base64');
  return { kind: 'file', file: { bytes, mimeType: content.mediaType, name: content.filename } };
}

import { randomUUID } from 'node:crypto';
import type { Message, Part, TaskState, TaskStatus } from 'a2a03';
import type { AgentExecutionEvent, AgentExecutor, ExecutionEventBus, RequestContext } from 'a2a03/server';
import { stepsFor, turnOf } from '../../../bridges/a2a/sample-agent/behaviour-table.ts';
import { RunningTurns } from '../../../bridges/a2a/sample-agent/running-turns.ts';
import { type Content, opened, type PublishedStep } from '../../../bridges/a2a/sample-agent/steps.ts';

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
  readonly turns = new RunningTurns();
  readonly #contextIds = new Map<string, string>();

  execute = async (request: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    this.#contextIds.set(request.taskId, request.contextId);
    const text = request.userMessage.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
    const turn = turnOf(text, awaitedBy(request.task?.status.state));
    await this.turns.play(request.taskId, opened(stepsFor(turn)), (step) =>
      bus.publish(eventOf(step, request)),
    );
    bus.finished();
  };

  cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    this.turns.cancel(taskId);
    const contextId = this.#contextIds.get(taskId) ?? '';
    bus.publish(statusEvent(taskId, contextId, 'canceled', 'Canceled as you asked.'));
    bus.finished();
  };
}

function awaitedBy(state: TaskState | undefined): 'input' | 'auth' | undefined {
  if (state === 'input-required') return 'input';
  return state === 'auth-required' ? 'auth' : undefined;
}

function eventOf(step: PublishedStep, request: RequestContext): AgentExecutionEvent {
  const { taskId, contextId, task } = request;
  switch (step.do) {
    case 'open':
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
      const { artifactId, name, append, lastChunk } = step;
      const artifact = { artifactId, name, parts: step.contents.map(partOf) };
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
  if ('data' in content) return { kind: 'data', data: content.data as Record<string, unknown> };
  const bytes = Buffer.from(content.bytes).toString('base64');
  return { kind: 'file', file: { bytes, mimeType: content.mediaType, name: content.filename } };
}

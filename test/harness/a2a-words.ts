import type { Action } from './peers/script.ts';

/** Wire pieces of A2A 1.0 as a scripted agent sends them; all about task r1 in context c1. */
export const task = (state: string, rest: object = {}) => ({
  id: 'r1',
  contextId: 'c1',
  status: { state: `TASK_STATE_${state}` },
  ...rest,
});

export const taskFrame = (state: string, rest: object = {}): Action => ({
  result: { task: task(state, rest) },
});

export const statusFrame = (state: string, message?: string, rest: object = {}): Action => ({
  result: {
    statusUpdate: {
      taskId: 'r1',
      contextId: 'c1',
      status: {
        state: `TASK_STATE_${state}`,
        ...(message !== undefined && { message: agentMessage(message) }),
      },
      ...rest,
    },
  },
});

export const agentMessage = (text: string) => ({
  messageId: `m-${text}`,
  role: 'ROLE_AGENT',
  parts: [{ text }],
});

export const artifact = (...texts: string[]) => ({
  artifactId: 'a1',
  name: 'poem',
  parts: texts.map((text) => ({ text })),
});

export const artifactFrame = (text: string, append: boolean, lastChunk = false): Action => ({
  result: { artifactUpdate: { taskId: 'r1', contextId: 'c1', artifact: artifact(text), append, lastChunk } },
});

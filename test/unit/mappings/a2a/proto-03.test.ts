import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { methodsOf } from '../../../../bridges/a2a/proto/codec.ts';
import {
  answerProto03,
  fromProto03,
  paramsOfProto03,
  protoCard,
  readTaskName,
  taskName,
  toProto03,
} from '../../../../mappings/a2a/proto-03.ts';
import { STATES_V03, type StateV03 } from '../../../../mappings/a2a/states.ts';

const message = {
  kind: 'message',
  messageId: 'm1',
  contextId: 'c1',
  taskId: 't1',
  role: 'agent',
  parts: [
    { kind: 'text', text: 'hello', metadata: { a: 1 } },
    { kind: 'file', file: { bytes: 'AAEC', mimeType: 'text/csv', name: 'a.csv' } },
    { kind: 'file', file: { uri: 'https://a.example/b', mimeType: 'text/csv', name: '' } },
    { kind: 'data', data: { rows: [1, { kind: 'x', content: 'y' }] } },
  ],
};
const status = { state: 'input-required', timestamp: '2026-01-01T00:00:00.125Z', message };
const artifact = { artifactId: 'a1', name: 'report', parts: message.parts };
const task = { kind: 'task', id: 't1', contextId: 'c1', status, history: [message], artifacts: [artifact] };
const update = { kind: 'status-update', taskId: 't1', contextId: 'c1', status, final: true };
const chunk = {
  kind: 'artifact-update',
  taskId: 't1',
  contextId: 'c1',
  artifact,
  append: true,
  lastChunk: true,
};
const stream = methodsOf('0.3').get('SendStreamingMessage');

/** Without the members that only say what an object is. */
const bare = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/"kind":"[a-z-]+",?/g, ''));

describe('an event in the words of the protocol file of 0.3', () => {
  it.each([
    ['task', task],
    ['message', message],
    ['statusUpdate', update],
    ['artifactUpdate', chunk],
  ])('%s: is a message of the file, loses nothing on the wire and reads as it was', (member, event) => {
    const proto = toProto03(event as unknown as JsonObject);
    expect(Object.keys(proto)).toEqual([member]);
    const codec = stream?.response;
    const arrived = codec?.decode(codec.encode(proto)) ?? {};
    expect(codec?.encode(arrived)).toEqual(codec?.encode(proto));
    const read = fromProto03(proto) as JsonObject;
    // States and roles are read by the tables of either version.
    const words = JSON.stringify(read[member])
      .replaceAll('TASK_STATE_INPUT_REQUIRED', 'input-required')
      .replaceAll('ROLE_AGENT', 'agent');
    expect(bare(JSON.parse(words))).toEqual(bare(event));
  });

  it('has a word for every state, which is read again as the same one', () => {
    for (const state of Object.keys(STATES_V03.fromForeign) as StateV03[]) {
      const { statusUpdate } = toProto03({ ...update, status: { state } } as unknown as JsonObject) as {
        statusUpdate: { status: { state: string } };
      };
      const codec = stream?.response;
      expect(() => codec?.encode({ statusUpdate }), state).not.toThrow();
      expect(statusUpdate.status.state).toMatch(/^TASK_STATE_/);
    }
  });

  it('is read by the other names of the file too, and what JSON-RPC spells stays as it is', () => {
    const spelled = {
      status_update: {
        task_id: 't1',
        context_id: 'c1',
        status: { state: 'TASK_STATE_WORKING', update: { message_id: 'm', content: [{ text: 'hi' }] } },
      },
    };
    expect(fromProto03(spelled)).toEqual({
      statusUpdate: {
        taskId: 't1',
        contextId: 'c1',
        status: {
          state: 'TASK_STATE_WORKING',
          message: { messageId: 'm', parts: [{ kind: 'text', text: 'hi' }] },
        },
      },
    });
    expect(fromProto03(task as unknown as JsonObject)).toBe(task);
    expect(fromProto03('x')).toBe('x');
  });

  it('of a kind that the file has not is a mistake of the program', () => {
    expect(() => toProto03({ kind: 'other' })).toThrow('other');
  });
});

describe('names', () => {
  it('lead back to the task and its config', () => {
    expect(readTaskName(taskName('t1'))).toEqual({ taskId: 't1' });
    expect(readTaskName(taskName('t1', 'c1'))).toEqual({ taskId: 't1', configId: 'c1' });
    for (const bad of ['t1', 'tasks/', 'tasks/a/b', 'tasks/a/pushNotificationConfigs/', undefined, 7])
      expect(readTaskName(bad), String(bad)).toBeUndefined();
  });

  it('name what a request is about, and what is wrong with them is said of their member', () => {
    expect(paramsOfProto03('GetTask', { name: 'tasks/t1', historyLength: 2 })).toEqual({
      id: 't1',
      historyLength: 2,
    });
    const name = 'tasks/t1/pushNotificationConfigs/c1';
    expect(paramsOfProto03('GetTaskPushNotificationConfig', { name })).toEqual({
      id: 't1',
      pushNotificationConfigId: 'c1',
    });
    const config = { pushNotificationConfig: { url: 'https://a.example' } };
    expect(
      paramsOfProto03('CreateTaskPushNotificationConfig', { parent: 'tasks/t1', configId: 'c1', config }),
    ).toEqual({
      taskId: 't1',
      config: { pushNotificationConfig: { id: 'c1', url: 'https://a.example' } },
    });
    const refused = [
      ['GetTask', { name: 't1' }, 'name'],
      ['GetTask', { name }, 'name'],
      ['DeleteTaskPushNotificationConfig', { name: 'tasks/t1' }, 'name'],
      ['ListTaskPushNotificationConfigs', {}, 'parent'],
    ] as const;
    for (const [operation, given, param] of refused)
      expect(() => paramsOfProto03(operation, given), operation).toThrow(expect.objectContaining({ param }));
  });
});

it('a card has its schemes as the file spells them, and no signature of another spelling', () => {
  const card = protoCard({
    name: 'a',
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      bearer_v1: { httpAuthSecurityScheme: {} },
    },
    security: [{ bearer: ['tasks:read'] }],
    signatures: [{}],
    supportedInterfaces: [],
  });
  expect(card).toEqual({
    name: 'a',
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    security: [{ schemes: { bearer: { list: ['tasks:read'] } } }],
  });
  expect(() => methodsOf('0.3').get('GetAgentCard')?.response.encode(card)).not.toThrow();
  expect(answerProto03('ListTaskPushNotificationConfigs', [])).toEqual({ configs: [] });
});

import { StreamResponse, Task as WireTask } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import {
  type Encoding,
  encodeTask,
  encodeUpdate,
  type Version,
} from '../../../../mappings/a2a/encode-task.ts';
import { type Event, TaskView } from '../../../../mappings/a2a/task-view.ts';

const EXTENSION = 'https://harnlang.com/a2a/ext/harn/v1';
const TIME = '2026-05-01T10:00:00.000Z';
const TASK = { id: 't1', session_id: 's1', status: 'SUBMITTED', assigned_agent_id: 'a2a:shop', metadata: {} };
const envelope = {
  object: 'message',
  created_at: TIME,
  updated_at: TIME,
  workspace_id: 'w1',
  session_id: 's1',
};

const events = (...rows: [string, JsonObject][]): Event[] =>
  rows.map(([event, payload], at) => ({
    id: String(at).padStart(20, '0'),
    event,
    created_at: TIME,
    payload,
  }));
const message = (role: string, text: string, metadata: JsonObject = {}): JsonObject => {
  const parts = [{ type: 'text', text, visibility: 'public' }];
  return { ...envelope, id: `message_${text}`, task_id: 't1', role, parts, metadata };
};
const submitted: [string, JsonObject] = ['task.submitted', { task: TASK }];
const asked: [string, JsonObject] = [
  'user.message',
  { message: message('user', 'hi', { a2a: { message_id: 'mine' } }) },
];
const started: [string, JsonObject] = ['task.started', { status: 'WORKING', previous_status: 'SUBMITTED' }];
const completed: [string, JsonObject] = [
  'task.completed',
  { status: 'COMPLETED', previous_status: 'WORKING' },
];
const chunk = (n: number, rest: JsonObject = {}): JsonObject => ({
  append: n > 0,
  chunk_index: n,
  last_chunk: false,
  parts: [{ type: 'text', text: `chunk ${n}`, visibility: 'public' }],
  ...rest,
});
const created: [string, JsonObject] = [
  'artifact.created',
  { artifact: { id: 'artifact_1', metadata: {} }, upstream_artifact_id: 'a1', ...chunk(0) },
];
const updated = (n: number, rest: JsonObject = {}): [string, JsonObject] => [
  'artifact.updated',
  { artifact_id: 'artifact_1', ...chunk(n, rest) },
];

const encoding = (version: Version, extended = false): Encoding => ({
  version,
  taskId: 't1',
  contextId: 'c1',
  extended,
  bytes: new Map(),
  parts: new Map(),
});

/** Everything a follower is told, and the view it ends with. */
function told(all: Event[], given: Encoding): { view: TaskView; frames: JsonObject[] } {
  const view = new TaskView();
  const frames = all.flatMap((event) =>
    view
      .advance(event)
      .filter(({ type }) => type !== 'event' || given.extended)
      .map((update) => encodeUpdate(update, view, given, event)),
  );
  return { view, frames };
}

describe('a task as A2A sees it', () => {
  const story = events(
    submitted,
    asked,
    started,
    created,
    updated(1),
    updated(2, { called_last: true }),
    completed,
  );

  it('is told change by change in 1.0, as the SDK reads it', () => {
    const { frames } = told(story, encoding('1.0'));
    expect(frames).toMatchObject([
      {
        statusUpdate: {
          taskId: 't1',
          contextId: 'c1',
          status: { state: 'TASK_STATE_WORKING', timestamp: TIME },
        },
      },
      { artifactUpdate: { artifact: { artifactId: 'a1', parts: [{ text: 'chunk 0' }] } } },
      { artifactUpdate: { artifact: { artifactId: 'a1', parts: [{ text: 'chunk 1' }] }, append: true } },
      { artifactUpdate: { artifact: { parts: [{ text: 'chunk 2' }] }, append: true, lastChunk: true } },
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    ]);
    for (const frame of frames)
      expect(StreamResponse.toJSON(StreamResponse.fromJSON(frame))).toMatchObject(frame);
  });

  it('is told with kinds and final in 0.3', () => {
    const { frames } = told(story, encoding('0.3'));
    expect(frames.map(({ kind, final }) => [kind, final])).toEqual([
      ['status-update', false],
      ['artifact-update', undefined],
      ['artifact-update', undefined],
      ['artifact-update', undefined],
      ['status-update', true],
    ]);
    expect(frames[1]).toMatchObject({ artifact: { parts: [{ kind: 'text', text: 'chunk 0' }] } });
  });

  it('has what an update of an artifact carries with that update alone, and what the artifact has with all', () => {
    const own = { metadata: { made: 'here' }, extensions: ['urn:rhyme'] };
    const first = { id: 'artifact_1', metadata: { name: 'poem', a2a: { ...own, event_metadata: { n: 1 } } } };
    const { view, frames } = told(
      events(
        submitted,
        started,
        ['artifact.created', { artifact: first, upstream_artifact_id: 'a1', ...chunk(0) }],
        updated(1),
        updated(2, { metadata: { a2a: { event_metadata: { n: 3 } } } }),
      ),
      encoding('1.0'),
    );
    const updates = frames.flatMap((frame) =>
      'artifactUpdate' in frame ? [frame['artifactUpdate']] : [],
    ) as {
      metadata?: JsonObject;
      artifact: JsonObject;
    }[];
    expect(updates.map(({ metadata }) => metadata)).toEqual([{ n: 1 }, undefined, { n: 3 }]);
    for (const { artifact } of updates) expect(artifact).toMatchObject({ name: 'poem', ...own });
    expect(encodeTask(view, encoding('1.0'), { artifacts: true })).toMatchObject({
      metadata: { n: 3 },
      artifacts: [{ name: 'poem', ...own, parts: [{}, {}, {}] }],
    });
  });

  it('is in a snapshot what a follower has put together, with the ids its client gave', () => {
    const { view, frames } = told(story, encoding('1.0'));
    const followed = frames.flatMap(({ artifactUpdate }) =>
      artifactUpdate === undefined
        ? []
        : (artifactUpdate as { artifact: { parts: JsonObject[] } }).artifact.parts,
    );
    const task = encodeTask(view, encoding('1.0'), { artifacts: true });
    expect(task).toEqual({
      id: 't1',
      contextId: 'c1',
      status: { state: 'TASK_STATE_COMPLETED', timestamp: TIME },
      artifacts: [{ artifactId: 'a1', parts: followed }],
      history: [
        { messageId: 'mine', contextId: 'c1', taskId: 't1', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
      ],
    });
    expect(WireTask.toJSON(WireTask.fromJSON(task))).toEqual(task);
    expect(encodeTask(view, encoding('1.0'), { artifacts: false, historyLength: 0 })).toEqual({
      id: 't1',
      contextId: 'c1',
      status: { state: 'TASK_STATE_COMPLETED', timestamp: TIME },
    });
  });

  it('tells what an agent said together with its move once, and keeps it in the history when the state moves on', () => {
    const question = message('agent', 'which?');
    const { view, frames } = told(
      events(
        submitted,
        started,
        ['agent.message', { message: question, move_follows: true }],
        ['task.input_required', { status: 'INPUT_REQUIRED', message_id: question['id'] as string }],
        ['task.status_changed', { status: 'WORKING' }],
      ),
      encoding('1.0'),
    );
    const state = (frame: JsonObject) => (frame['statusUpdate'] as { status: { state: string } }).status;
    expect(frames.map(state)).toMatchObject([
      { state: 'TASK_STATE_WORKING' },
      { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'which?' }] } },
      { state: 'TASK_STATE_WORKING' },
    ]);
    expect(view.history.map(({ id }) => id)).toEqual(['message_which?']);
    expect(view.status.message).toBeUndefined();
  });

  it('leaves out the steps that the gateway inserted', () => {
    const inserted: [string, JsonObject] = ['task.started', { status: 'WORKING', synthesized: true }];
    const { frames } = told(events(submitted, inserted, completed), encoding('1.0'));
    expect(frames).toHaveLength(1);
  });

  it.each([
    ['rejected', 'TASK_STATE_REJECTED', 'rejected'],
    ['policy_violation', 'TASK_STATE_REJECTED', 'rejected'],
    ['runtime_error', 'TASK_STATE_FAILED', 'failed'],
    ['upstream_unavailable', 'TASK_STATE_FAILED', 'failed'],
  ])('that failed as %s is %s in 1.0 and %s in 0.3', (code, v1, v03) => {
    const failure = { code, message: 'No.', type: 'upstream_error' };
    const all = events(submitted, started, ['task.failed', { status: 'FAILED', failure }]);
    expect(told(all, encoding('1.0')).frames.at(-1)).toMatchObject({
      statusUpdate: { status: { state: v1 } },
    });
    expect(told(all, encoding('0.3')).frames.at(-1)).toMatchObject({ status: { state: v03 }, final: true });
  });

  it('says what A2A has no word for only to those who asked for the extension', () => {
    const all = events(submitted, started, ['span.started', { name: 'turn' }]);
    expect(told(all, encoding('1.0')).frames).toHaveLength(1);
    const { frames, view } = told(all, encoding('1.0', true));
    expect(frames.at(-1)).toMatchObject({
      statusUpdate: {
        status: { state: 'TASK_STATE_WORKING' },
        metadata: { [EXTENSION]: { event: 'span.started', payload: { name: 'turn' } } },
      },
    });
    expect(encodeTask(view, encoding('1.0', true), { artifacts: true })).toMatchObject({
      metadata: { [EXTENSION]: { session_id: 's1', route: 'a2a:shop' } },
    });
  });

  it('keeps the place of a part whose content is not at hand, and takes it from where it was read', () => {
    const described = { type: 'described', size: 9 };
    const stored: [string, JsonObject] = [
      'artifact.created',
      {
        artifact: { id: 'artifact_1', metadata: {} },
        upstream_artifact_id: 'a1',
        ...chunk(0, { parts: [described] }),
      },
    ];
    const { view } = told(events(submitted, started, stored), encoding('1.0'));
    const parts = (given: Encoding) =>
      (encodeTask(view, given, { artifacts: true })['artifacts'] as { parts: JsonObject[] }[])[0]?.parts;
    expect(parts(encoding('1.0'))).toMatchObject([{ data: { artifact_id: 'artifact_1', available: false } }]);
    const read = new Map([
      ['artifact_1/0', { type: 'text' as const, text: 'long text', visibility: 'public' as const }],
    ]);
    expect(parts({ ...encoding('1.0'), parts: read })).toEqual([{ text: 'long text' }]);
  });

  it('copied is a view of its own', () => {
    const view = new TaskView();
    for (const event of story.slice(0, 4)) view.advance(event);
    const copy = view.copy();
    const before = encodeTask(copy, encoding('1.0'), { artifacts: true });
    for (const event of story.slice(4)) view.advance(event);
    expect(encodeTask(copy, encoding('1.0'), { artifacts: true })).toEqual(before);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#protocol/json.ts';
import type { Frame, Move } from '#protocol-client.ts';
import { interpret } from '../../../../bridges/a2a/client/interpret.ts';
import { ReadRecord, recordOf } from '../../../../bridges/a2a/client/record.ts';
import { Past } from '../../../harness/past.ts';

const FIXTURES = new URL('../../../../fixtures/wire/a2a/', import.meta.url);

interface RecordedFrame {
  turn: number;
  frame: Frame;
  moves: Move[];
}

const recordings = readdirSync(FIXTURES).map((name) => {
  const lines = readFileSync(new URL(name, FIXTURES), 'utf8').trimEnd().split('\n');
  return [name, lines.map((line) => JSON.parse(line) as RecordedFrame)] as const;
});

/** A frame that carries what was read in it, and whose body nobody reads again. */
function asRead(frame: Frame): Frame {
  if (frame.kind !== 'message') return frame;
  const read = recordOf(frame, new Past());
  if (read === undefined) return frame;
  return {
    kind: 'message',
    get body(): never {
      throw new Error('The body was read again.');
    },
    read: new ReadRecord(read.record, read.reading),
  };
}

/** The kinds of moves of a story, written by hand: every peer and binding must tell it the same way. */
const STORIES: Record<string, string> = {
  message: 'bind message COMPLETED',
  echo: 'bind message artifact COMPLETED',
  stream: 'bind message artifact artifact artifact COMPLETED',
  file: 'bind message artifact COMPLETED',
  ask: 'bind INPUT_REQUIRED message artifact COMPLETED',
  refuse: 'bind FAILED',
  fail: 'bind FAILED',
};
/** It says everything in the status. */
const HARN_SERVE: Record<string, string> = {
  echo: 'bind COMPLETED',
  ask: 'bind INPUT_REQUIRED COMPLETED',
  fail: 'bind FAILED',
};

describe('recorded frames', () => {
  it('exist for every peer and story', () => {
    expect(recordings).toHaveLength(4 * 7 + 3);
  });

  it.each(recordings)('of %s mean what was recorded with them', (_name, lines) => {
    const past = new Past();
    for (const { turn, frame, moves } of lines) {
      if (turn === 2 && past.status === 'INPUT_REQUIRED') past.status = 'WORKING';
      expect(interpret(frame, past)).toEqual(moves);
      past.apply(moves);
    }
  });

  it.each(recordings)(
    'of %s are read once: what was read when they came is what they mean',
    (_name, lines) => {
      const past = new Past();
      for (const { turn, frame, moves } of lines) {
        if (turn === 2 && past.status === 'INPUT_REQUIRED') past.status = 'WORKING';
        expect(interpret(asRead(frame), past)).toEqual(moves);
        past.apply(moves);
      }
    },
  );

  it.each(recordings)('of %s tell the story as it is written here', (name, lines) => {
    const [, peer = '', story = ''] = /^(.*)-([a-z]+)\.ndjson$/.exec(name) ?? [];
    const told = lines.flatMap(({ moves }) =>
      moves.map((move) => (move.type === 'status' ? move.to : move.type)),
    );
    expect(told.join(' ')).toBe((peer === 'harn-serve' ? HARN_SERVE : STORIES)[story]);
  });
});

const inV1 = (result: JsonValue, operation = 'SendStreamingMessage'): Frame => ({
  kind: 'message',
  body: {
    protocol: 'jsonrpc-1.0',
    operation,
    request_id: 'harn-1',
    message: { jsonrpc: '2.0', id: 'harn-1', result },
  },
});

const task = (state: string, rest: object = {}) => ({
  id: 'r1',
  contextId: 'c1',
  status: { state },
  ...rest,
});

function pastWith(members: Partial<Pick<Past, 'status' | 'binding' | 'sessionBinding'>>): Past {
  return Object.assign(new Past(), members);
}

const BOUND = { binding: { task_id: 'r1', context_id: 'c1' }, sessionBinding: { context_id: 'c1' } };

describe('interpretation', () => {
  it('notes a body that is no record, such as a bad override, and moves nothing', () => {
    for (const body of [null, 7, {}, { protocol: 'x' }, { protocol: 'jsonrpc-1.0', operation: 'Nope' }]) {
      expect(interpret({ kind: 'message', body }, new Past())).toEqual([
        { type: 'note', note: 'not_a_record' },
      ]);
    }
  });

  it('moves nothing after a terminal state, whatever arrives', () => {
    const past = pastWith({ status: 'CANCELED', ...BOUND });
    const late: Frame[] = [
      inV1({ task: task('TASK_STATE_COMPLETED') }),
      { kind: 'fault', code: 'upstream_unavailable', message: 'gone' },
    ];
    for (const frame of late)
      expect(interpret(frame, past)).toMatchObject([{ type: 'note', note: 'late_result' }]);
    expect(interpret({ kind: 'end' }, past)).toEqual([]);
  });

  it('fails work that ends without a result, and leaves a blocked task as it is', () => {
    expect(interpret({ kind: 'end' }, new Past())).toMatchObject([
      { type: 'status', to: 'FAILED', failure: { code: 'upstream_unavailable', type: 'upstream_error' } },
    ]);
    expect(interpret({ kind: 'end' }, pastWith({ status: 'INPUT_REQUIRED' }))).toEqual([]);
  });

  it('does not go back to SUBMITTED, and does not repeat a state', () => {
    const past = pastWith(BOUND);
    expect(interpret(inV1({ task: task('TASK_STATE_SUBMITTED') }), past)).toEqual([]);
    expect(interpret(inV1({ task: task('TASK_STATE_WORKING') }), past)).toEqual([]);
  });

  it('starts a submitted task on a state that nobody knows', () => {
    const past = pastWith({ status: 'SUBMITTED', ...BOUND });
    expect(interpret(inV1({ task: task('TASK_STATE_DREAMING') }), past)).toEqual([
      { type: 'note', note: 'unknown_state', details: { raw_state: 'TASK_STATE_DREAMING' } },
      { type: 'status', to: 'WORKING', metadata: { a2a: { raw_state: 'TASK_STATE_DREAMING' } } },
    ]);
  });

  it('takes a message beside a task as something said, not as the answer', () => {
    const said = { message: { messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text: 'hm' }] } };
    expect(interpret(inV1(said), pastWith(BOUND)).map((move) => move.type)).toEqual(['message']);
  });

  it('does not repeat what the client said', () => {
    const echoed = { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } };
    expect(interpret(inV1(echoed), new Past())).toEqual([{ type: 'note', note: 'echoed_message' }]);
  });

  it('keeps what a message, an artifact and a task say besides their content', () => {
    const message = {
      messageId: 'm1',
      role: 'ROLE_AGENT',
      parts: [{ text: 'x' }],
      metadata: { k: 1 },
      extensions: ['u'],
    };
    const artifacts = [{ artifactId: 'a1', parts: [{ data: null }], metadata: { l: 2 } }];
    const body = task('TASK_STATE_WORKING', { history: [message], artifacts, metadata: { m: 3 } });
    expect(interpret(inV1({ task: body }), pastWith(BOUND))).toEqual([
      { type: 'metadata', patch: { a2a: { metadata: { m: 3 } } } },
      {
        type: 'message',
        message: {
          upstreamId: 'm1',
          role: 'agent',
          parts: [{ type: 'text', text: 'x', visibility: 'public' }],
          metadata: { a2a: { message_id: 'm1', metadata: { k: 1 }, extensions: ['u'] } },
        },
      },
      {
        type: 'artifact',
        artifact: {
          upstreamId: 'a1',
          parts: [{ type: 'json', value: null, visibility: 'public' }],
          metadata: { a2a: { metadata: { l: 2 } } },
          append: false,
          lastChunk: false,
        },
      },
    ]);
  });

  it('replaces an artifact that a snapshot shows shorter than the log', () => {
    const past = pastWith(BOUND);
    past.artifacts.set('a1', [
      { type: 'text', text: '1', visibility: 'public' },
      { type: 'text', text: '2', visibility: 'public' },
    ]);
    const body = task('TASK_STATE_WORKING', { artifacts: [{ artifactId: 'a1', parts: [{ text: 'new' }] }] });
    expect(interpret(inV1(body, 'GetTask'), past)).toMatchObject([
      { artifact: { append: false, parts: [{ text: 'new' }] } },
    ]);
  });

  it('notes a chunk for an artifact it has never seen', () => {
    const update = {
      artifactUpdate: { taskId: 'r1', append: true, artifact: { artifactId: 'a9', parts: [{ text: 'x' }] } },
    };
    expect(interpret(inV1(update), pastWith(BOUND))).toMatchObject([
      { type: 'note', note: 'missed_chunk' },
      { type: 'artifact', artifact: { append: true } },
    ]);
  });

  it('binds anew, and says so, when a message is answered with another task', () => {
    const moves = interpret(inV1({ task: { ...task('TASK_STATE_WORKING'), id: 'r2' } }), pastWith(BOUND));
    expect(moves).toEqual([
      { type: 'note', note: 'task_changed', details: { was: 'r1', is: 'r2' } },
      { type: 'bind', binding: { task_id: 'r2', context_id: 'c1' } },
    ]);
  });

  it('keeps an over-long reason of a failure short and whole in its characters', () => {
    const text = `${'x'.repeat(1_999)}\u{1f600}tail`;
    const message = { messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text }] };
    const moves = interpret(
      inV1({ task: { ...task(''), status: { state: 'TASK_STATE_FAILED', message } } }),
      pastWith(BOUND),
    );
    expect(moves).toMatchObject([
      { to: 'FAILED', failure: { message: 'x'.repeat(1_999), code: 'runtime_error' } },
    ]);
  });

  it('tells errors by their reason over HTTP+JSON, where the code is the status again', () => {
    const error = {
      code: 404,
      status: 'NOT_FOUND',
      message: 'gone',
      details: [{ reason: 'TASK_NOT_FOUND' }],
    };
    const frame: Frame = {
      kind: 'message',
      body: { protocol: 'http+json-1.0', operation: 'SendMessage', http_status: 404, message: { error } },
    };
    expect(interpret(frame, new Past())).toMatchObject([
      {
        to: 'FAILED',
        failure: { code: 'resource_not_found', message: 'gone', details: { a2a_error: 'TaskNotFound' } },
      },
    ]);
  });

  it('gives the same moves for the same frame and the same past', () => {
    const frame = inV1({
      task: task('TASK_STATE_COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }] }] }),
    });
    expect(interpret(frame, new Past())).toEqual(interpret(structuredClone(frame), new Past()));
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Move } from '#protocol-client.ts';
import { interpret } from '../../../../bridges/a2a/client/interpret.ts';
import { bounded, refuseOverlong } from '../../../../bridges/a2a/client/record.ts';
import { task } from '../../../harness/a2a-words.ts';
import { Past } from '../../../harness/past.ts';

const LONG = 'x'.repeat(100_000);

function movesOf(result: JsonValue, past = bound()): Move[] {
  const message = { jsonrpc: '2.0', id: 'harn-1', result };
  const record = {
    protocol: 'jsonrpc-1.0',
    operation: 'SendStreamingMessage',
    request_id: 'harn-1',
    message,
  };
  return interpret({ kind: 'message', body: record }, past);
}

function bound(): Past {
  return Object.assign(new Past(), {
    binding: { task_id: 'r1', context_id: 'c1' },
    sessionBinding: { context_id: 'c1' },
  });
}

const update = (artifact: JsonObject): JsonValue => ({
  artifactUpdate: { taskId: 'r1', contextId: 'c1', artifact },
});

describe('an id or name of an agent', () => {
  it('of 512 characters stays as it is', () => {
    expect(bounded('y'.repeat(512))).toBe('y'.repeat(512));
  });

  it('that is longer is cut to 512, and two that differ at the end stay two', () => {
    expect(bounded(`${LONG}a`)).toHaveLength(512);
    expect(bounded(`${LONG}a`)).not.toBe(bounded(`${LONG}b`));
    expect(bounded(`${LONG}a`)).toBe(bounded(`${LONG}a`));
  });

  it('is never cut inside a character', () => {
    expect(bounded(`${'x'.repeat(446)}\u{1f600}${LONG}`)).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });
});

describe('what an over-long word of an agent leaves in the log', () => {
  const tool = { tool_call_id: LONG, name: LONG, input: {} };
  const message = (rest: JsonObject = {}): JsonObject => ({
    messageId: LONG,
    role: LONG,
    parts: [
      { raw: 'eA==', filename: LONG, mediaType: LONG },
      { url: 'https://files.example/a', mediaType: LONG },
      { data: tool, mediaType: 'application/vnd.harn.tool-call+json' },
    ],
    ...rest,
  });

  it.each<[string, JsonValue]>([
    ['message', { message: message() }],
    ['artifact', update({ artifactId: LONG, name: LONG, description: LONG, parts: [] })],
    ['state', { task: task(LONG) }],
    ['task id', { task: { ...task('WORKING'), id: LONG } }],
    ['context id', { task: { ...task('WORKING'), contextId: LONG } }],
    ['unknown member', { [LONG]: 1 }],
  ])('is bounded in a %s', (_what, result) => {
    const moves = movesOf(result);
    expect(moves).not.toEqual([]);
    expect(JSON.stringify(moves).length).toBeLessThan(6_000);
  });

  it('is bounded in the id of an answer to somebody else', () => {
    for (const id of [LONG, [LONG]]) {
      const frame = {
        protocol: 'jsonrpc-1.0',
        operation: 'SendMessage',
        request_id: 'harn-1',
        message: { id, result: {} },
      };
      const moves = interpret({ kind: 'message', body: frame }, bound());
      expect(moves).toMatchObject([{ note: 'foreign_answer' }]);
      expect(JSON.stringify(moves).length).toBeLessThan(1_000);
    }
  });

  it('does not make a message or artifact new that is in the log already', () => {
    const past = bound();
    past.apply(movesOf({ message: { ...message(), role: 'ROLE_AGENT' } }, past));
    expect(movesOf({ message: { ...message(), role: 'ROLE_AGENT' } }, past)).toMatchObject([
      { note: 'repeated_message' },
    ]);
    const artifact = { artifactId: LONG, parts: [{ text: 'a' }] };
    past.apply(movesOf(update(artifact), past));
    expect(movesOf({ task: task('WORKING', { artifacts: [artifact] }) } as JsonValue, past)).toEqual([]);
  });

  it('is no binding: the driver refuses task and context ids that it could not send back', () => {
    expect(movesOf({ task: { ...task('WORKING'), id: LONG } })).toEqual([
      { type: 'note', note: 'overlong_id' },
    ]);
    const events = [
      { event: 'task', body: { id: LONG } },
      { event: 'status', body: { taskId: LONG } },
      { event: 'message', body: { contextId: LONG } },
    ] as const;
    for (const event of events) expect(() => refuseOverlong({ kind: 'event', ...event })).toThrow('512');
    refuseOverlong({ kind: 'event', event: 'artifact', body: { taskId: 'r1', id: LONG } });
  });
});

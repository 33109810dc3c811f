import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#protocol/json.ts';
import { RULES } from '#protocol/rules.ts';
import { interpret } from '../../bridges/a2a/client/interpret.ts';
import { stageHands } from '../harness/a2a-stage.ts';
import { agentMessage, artifact, artifactFrame, statusFrame, task, taskFrame } from '../harness/a2a-words.ts';
import { Past } from '../harness/past.ts';
import { type Action, stream } from '../harness/peers/script.ts';
import { cards } from '../harness/peers/scripted-cards.ts';

const { stage } = stageHands();

const protoName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The same as a printer of ProtoJSON writes it that keeps the names of the protocol file; Structs are of the agent. */
function inProtoNames<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(inProtoNames) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, item]) => [
    protoName(name),
    name === 'metadata' || name === 'data' ? item : inProtoNames(item),
  ]);
  return Object.fromEntries(members) as Value;
}

const inProto = (...frames: Action[]) => stream(...frames.map(inProtoNames));

describe('an agent that writes ProtoJSON with the names of the protocol file', () => {
  it('is heard: its task, texts, artifacts and ids', async () => {
    const part = {
      data: { media_type: 'mine' },
      mediaType: 'application/x-mine',
      metadata: { task_id: 'mine' },
    };
    const data = {
      artifactUpdate: {
        taskId: 'r1',
        contextId: 'c1',
        artifact: { ...artifact('x'), artifactId: 'a2', parts: [part] },
      },
    };
    const { task: shown } = await stage({
      SendStreamingMessage: inProto(
        taskFrame('WORKING'),
        artifactFrame('one', false),
        artifactFrame(' two', true, true),
        { result: data },
        statusFrame('COMPLETED', 'done'),
      ),
    });
    await shown.start('hi');
    expect(shown.past).toMatchObject({
      status: 'COMPLETED',
      texts: ['done'],
      binding: { task_id: 'r1', context_id: 'c1' },
    });
    expect(shown.past.textOf('a1')).toBe('one two');
  });

  it('is asked again by the id of its task, and its question is answered', async () => {
    const { task: shown } = await stage({
      SendStreamingMessage: [
        inProto(taskFrame('WORKING'), statusFrame('INPUT_REQUIRED', 'which?')),
        inProto(
          {
            result: {
              task: task('INPUT_REQUIRED', {
                status: { state: 'TASK_STATE_INPUT_REQUIRED', message: agentMessage('which?') },
              }),
            },
          },
          statusFrame('COMPLETED', 'blue'),
        ),
      ],
    });
    await shown.start('hi');
    await shown.continue('blue');
    expect(shown.past).toMatchObject({ status: 'COMPLETED', texts: ['which?', 'blue'] });
  });

  it('is found by a card in the same names', async () => {
    const { task: shown, upstream } = await stage(
      { SendStreamingMessage: inProto(statusFrame('COMPLETED', 'done')) },
      {},
      (origin: string) => inProtoNames(cards.v1(origin)),
    );
    await shown.start('hi');
    expect(shown.past.status).toBe('COMPLETED');
    expect(upstream.describe()?.skills.length).toBeGreaterThan(0);
  });

  it('was not understood by the rules of older runs, which mean what they meant', () => {
    const message: JsonValue = {
      id: 'q',
      result: { status_update: { task_id: 'r1', status: { state: 'TASK_STATE_COMPLETED' } } },
    };
    const body = { protocol: 'jsonrpc-1.0', operation: 'SendStreamingMessage', request_id: 'q', message };
    const past = new Past();
    const movesBy = (rules: (typeof RULES)[1 | 2]) => {
      past.rules = rules;
      return interpret({ kind: 'message', body }, past).map(({ type }) => type);
    };
    expect(movesBy(RULES[1])).toEqual(['note']);
    expect(movesBy(RULES[2])).toContain('status');
  });
});

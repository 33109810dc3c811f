import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import type { Move, Seen } from '#protocol-client.ts';
import { interpret } from '../../../../bridges/acp/client/interpret.ts';
import { type AcpRecord, frameOf } from '../../../../bridges/acp/client/record.ts';

type Told = { tokens: [number, number]; calls?: number; how?: 'open' | 'loaded' };

/** What is told as used in each turn of a session, of the counters that its answers end with. */
function usedBy(turns: readonly Told[]) {
  let sessionBinding: JsonObject | undefined;
  const moves = (record: AcpRecord): Move[] => {
    const seen = { status: 'WORKING', binding: undefined, sessionBinding } as Partial<Seen> as Seen;
    const made = interpret(frameOf(record), seen);
    for (const move of made) if (move.type === 'bind') sessionBinding = move.sessionBinding ?? sessionBinding;
    return made;
  };
  return turns.map(({ tokens: [inputTokens, outputTokens], calls = 1, how = 'open' }, at) => {
    moves({ op: 'session', how: at === 0 ? 'new' : how, session_id: 's-1' });
    const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    const result = { stopReason: 'end_turn', usage };
    const made = moves({ op: 'answer', result, model_calls: calls });
    return made.flatMap((move) => {
      if (move.type !== 'usage') return [];
      const { input_tokens, output_tokens, counted } = move.usage;
      return [`${input_tokens} ${output_tokens}${counted === undefined ? '' : ` ${counted}`}`];
    })[0];
  });
}

describe('what the counters of an ACP agent count', () => {
  it.each<[string, Told[], string[]]>([
    ['a session', [{ tokens: [100, 10] }, { tokens: [215, 25] }], ['100 10', '115 15 session']],
    [
      'each turn, with a context that grows',
      [{ tokens: [100, 10] }, { tokens: [130, 12] }],
      ['100 10', '130 12 turn'],
    ],
    // As codex-acp 2.6 told a turn without a tool and one with: fixtures/wire/acp-agents/codex-acp-2.6-edit.ndjson.
    [
      'each turn, one of which has a tool call',
      [{ tokens: [100, 20] }, { tokens: [200, 40], calls: 2 }],
      ['100 20', '200 40 turn'],
    ],
    [
      'a session, of which one turn has many tool calls',
      [{ tokens: [400, 40], calls: 4 }, { tokens: [520, 50] }, { tokens: [1_000, 90], calls: 3 }],
      ['400 40', '120 10 session', '480 40 session'],
    ],
    [
      'each turn, because a counter of a session never falls',
      [{ tokens: [100, 10] }, { tokens: [90, 20] }, { tokens: [400, 60] }],
      ['100 10', '90 20 turn', '400 60 turn'],
    ],
    [
      'a session that was loaded, and whose counters began again',
      [
        { tokens: [100, 10] },
        { tokens: [210, 20] },
        { tokens: [120, 10], how: 'loaded' },
        { tokens: [250, 22] },
      ],
      ['100 10', '110 10 session', '120 10', '130 12 session'],
    ],
    [
      'a session that was loaded with its counters',
      [{ tokens: [100, 10] }, { tokens: [210, 20] }, { tokens: [330, 30], how: 'loaded' }],
      ['100 10', '110 10 session', '120 10 session'],
    ],
    [
      'nothing yet',
      [{ tokens: [0, 0] }, { tokens: [100, 20] }, { tokens: [100, 20] }],
      ['0 0', '100 20', '100 20 turn'],
    ],
  ])('%s', (_what, turns, used) => {
    expect(usedBy(turns)).toEqual(used);
  });

  it('a record from before this counts the turn, and is kept as nothing', () => {
    const sessionBinding = { session_id: 's-1', prompt_usage: { input_tokens: 1, used: 1, model_calls: 1 } };
    const seen = { status: 'WORKING', binding: undefined, sessionBinding } as Partial<Seen> as Seen;
    const result = { stopReason: 'end_turn', usage: { inputTokens: 100, outputTokens: 10 } };
    const moves = interpret(frameOf({ op: 'answer', result }), seen);
    expect(moves.map(({ type }) => type)).toEqual(['usage', 'status']);
  });
});

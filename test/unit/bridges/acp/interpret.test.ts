import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Frame, Move } from '#protocol-client.ts';
import { interpret } from '../../../../bridges/acp/client/interpret.ts';
import { Past } from '../../../harness/past.ts';

const FIXTURES = new URL('../../../../fixtures/wire/acp/', import.meta.url);

interface RecordedFrame {
  turn: number;
  frame: Frame;
  moves: Move[];
}

const recordings = readdirSync(FIXTURES).map((name) => {
  const lines = readFileSync(new URL(name, FIXTURES), 'utf8').trimEnd().split('\n');
  return [name, lines.map((line) => JSON.parse(line) as RecordedFrame)] as const;
});

/** The moves of a story besides bindings, notes and live updates, written by hand. */
const STORIES: Record<string, string> = {
  echo: 'message COMPLETED',
  stream: 'message COMPLETED',
  again: 'message COMPLETED message COMPLETED',
  think: 'reasoning message COMPLETED',
  plan: 'metadata metadata COMPLETED',
  edit: 'tool permission tool artifact message COMPLETED',
  ask: 'permission message COMPLETED',
  files: 'message COMPLETED',
  late: 'message COMPLETED message COMPLETED',
  max: 'FAILED',
  refuse: 'FAILED',
  weird: 'FAILED',
  fail: 'FAILED',
  login: 'AUTH_REQUIRED',
  untaken: 'metadata permission',
  die: 'FAILED',
  machine: 'tool tool tool tool file_written tool tool tool message COMPLETED',
  visit: 'permission message COMPLETED',
  'claude-agent-acp-0.101-edit':
    'metadata usage message tool metadata tool metadata tool artifact metadata permission tool metadata metadata metadata usage message usage COMPLETED',
  'codex-acp-2.6-shell':
    'tool tool metadata metadata message usage COMPLETED tool tool metadata metadata message usage COMPLETED',
  'gemini-cli-0.61-edit': 'message tool tool tool artifact permission tool message usage COMPLETED',
  'zed-codex-acp-0.16-edit': 'message tool artifact permission tool metadata metadata message COMPLETED',
};

describe('recorded frames of ACP agents', () => {
  it('exist for every story', () => {
    expect(recordings).toHaveLength(Object.keys(STORIES).length);
  });

  it.each(recordings)('of %s mean what was recorded with them', (_name, lines) => {
    let past = new Past();
    let turn = 1;
    for (const line of lines) {
      if (line.turn !== turn) {
        const { sessionBinding } = past;
        past = new Past();
        past.sessionBinding = sessionBinding;
        turn = line.turn;
      }
      expect(interpret(line.frame, past)).toEqual(line.moves);
      past.apply(line.moves);
    }
  });

  it.each(recordings)('of %s tell the story as it is written here', (name, lines) => {
    const story = name.replace('sdk-2.4-', '').replace('.ndjson', '');
    const told = lines.flatMap(({ moves }) =>
      moves.map((move) => (move.type === 'status' ? move.to : move.type)),
    );
    const heard = told.filter((word) => !['bind', 'note', 'update'].includes(word));
    expect(heard.join(' ')).toBe(STORIES[story]);
  });

  it('what is no record, and what comes after the end, moves nothing', () => {
    const past = new Past();
    expect(interpret({ kind: 'message', body: { op: 'unheard of' } }, past)).toEqual([
      { type: 'note', note: 'not_a_record' },
    ]);
    past.status = 'CANCELED';
    const late: Frame = { kind: 'message', body: { op: 'answer', result: { stopReason: 'end_turn' } } };
    expect(interpret(late, past)).toEqual([
      { type: 'note', note: 'late_result', details: { answer: 'session/prompt' } },
    ]);
    expect(interpret({ kind: 'end' }, past)).toEqual([]);
  });

  it('a turn that ends without an answer has failed', () => {
    const [move] = interpret({ kind: 'end' }, new Past());
    expect(move).toMatchObject({ type: 'status', to: 'FAILED', failure: { code: 'upstream_unavailable' } });
  });
});

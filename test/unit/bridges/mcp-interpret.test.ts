import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { interpret } from '../../../bridges/mcp/upstream/interpret.ts';
import { BLOCKS } from '../../../mappings/mcp/content.ts';
import type { Frame, Move } from '../../../src/upstream.ts';
import { Past } from '../../harness/past.ts';

const FIXTURES = new URL('../../../fixtures/wire/mcp/', import.meta.url);

interface RecordedFrame {
  frame: Frame;
  moves: Move[];
}

const recordings = readdirSync(FIXTURES).map((name) => {
  const lines = readFileSync(new URL(name, FIXTURES), 'utf8').trimEnd().split('\n');
  return [name, lines.map((line) => JSON.parse(line) as RecordedFrame)] as const;
});

/** The moves of a story besides bindings and notes, written by hand. */
const STORIES: Record<string, string> = {
  echo: 'requested completed COMPLETED',
  structured: 'requested completed COMPLETED',
  image: 'requested completed COMPLETED',
  annotated: 'requested completed COMPLETED',
  links: 'requested completed COMPLETED',
  resource: 'requested completed COMPLETED',
  progress: 'requested progress progress progress completed COMPLETED',
  roots: 'requested completed COMPLETED',
  accept: 'requested permission completed COMPLETED',
  decline: 'requested permission completed COMPLETED',
  misfit: 'FAILED',
  unknown: 'FAILED',
};

const wordOf = (move: Move): string => {
  if (move.type === 'status') return move.to;
  return move.type === 'tool' ? move.tool.step : move.type;
};

describe('recorded frames of MCP servers', () => {
  it('exist for every story', () => {
    expect(recordings).toHaveLength(Object.keys(STORIES).length);
  });

  it.each(recordings)('[MCP-WIRE-1] of %s mean what was recorded with them', (_name, lines) => {
    const past = new Past();
    for (const { frame, moves } of lines) {
      expect(interpret(frame, past)).toEqual(moves);
      past.apply(moves);
    }
  });

  it.each(recordings)('[MCP-WIRE-1] of %s tell the story as it is written here', (name, lines) => {
    const story = /-([a-z]+)\.ndjson$/.exec(name)?.[1] ?? '';
    const heard = lines.flatMap(({ moves }) => moves.map(wordOf));
    expect(heard.filter((word) => !['bind', 'note'].includes(word)).join(' ')).toBe(STORIES[story]);
  });

  it.each(recordings)('[MCP-WIRE-1] of %s have no block of content without a row', (_name, lines) => {
    const types = lines.flatMap(({ frame }) => {
      const body =
        frame.kind === 'message' ? (frame.body as { result?: { content?: { type: string }[] } }) : {};
      return (body.result?.content ?? []).map(({ type }) => type);
    });
    expect(types.filter((type) => !Object.hasOwn(BLOCKS.fromForeign, type))).toEqual([]);
  });
});

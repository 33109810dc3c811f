import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Frame, Move } from '#protocol-client.ts';
import { asRecord, interpret } from '../../../../bridges/mcp/client/interpret.ts';
import { BLOCKS } from '../../../../mappings/mcp/content.ts';
import { Past } from '../../../harness/past.ts';

const FIXTURES = new URL('../../../../fixtures/wire/mcp/', import.meta.url);

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
  round: 'requested permission completed COMPLETED',
  resumed: 'requested permission completed COMPLETED',
  task: 'requested completed COMPLETED',
  followed: 'requested completed COMPLETED',
  confirm: 'requested permission completed COMPLETED',
};

/** What the revision without sessions adds to a call, and the stories that tell of it. */
const STATELESS = {
  round: ['resumed', 'round'],
  answered: ['resumed', 'round'],
  task: ['confirm', 'followed', 'task'],
  resumed: ['followed', 'resumed'],
};

const storyOf = (name: string): string => /-([a-z]+)\.ndjson$/.exec(name)?.[1] ?? '';

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
    const heard = lines.flatMap(({ moves }) => moves.map(wordOf));
    expect(heard.filter((word) => !['bind', 'note'].includes(word)).join(' ')).toBe(STORIES[storyOf(name)]);
  });

  it.each(Object.entries(STATELESS))('[MCP-WIRE-1] of the kind %s are in %j', (kind, stories) => {
    const has = ({ frame }: RecordedFrame) => frame.kind === 'message' && asRecord(frame.body)?.type === kind;
    const found = recordings.filter(([, lines]) => lines.some(has)).map(([name]) => storyOf(name));
    expect(found.sort()).toEqual(stories);
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

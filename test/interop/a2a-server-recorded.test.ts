import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stageOf } from '../conformance/stage.ts';
import { type ServerExchange, Stands, sendAgain } from '../harness/face-exchanges.ts';
import { FACE_STORIES, RECORDED_CLIENTS } from './face-stories.ts';

const FIXTURES = new URL('../../fixtures/wire/a2a-face/', import.meta.url).pathname;
const files = readdirSync(FIXTURES).sort();

describe('what real clients once sent to the A2A face', () => {
  const stage = stageOf();

  it('is recorded of every client and every story', () => {
    const clients = Object.keys(RECORDED_CLIENTS);
    const names = clients.flatMap((client) =>
      Object.keys(FACE_STORIES).map((story) => `${client}-${story}.ndjson`),
    );
    expect(files).toEqual(names.sort());
  });

  it.each(files)('is answered as it was then: %s', async (file) => {
    const lines = readFileSync(FIXTURES + file, 'utf8')
      .trimEnd()
      .split('\n');
    const stands = new Stands();
    for (const line of lines) {
      const { request, answer } = JSON.parse(line) as ServerExchange;
      const { url, client } = stage.gateway;
      expect(await sendAgain(url, client.key ?? '', request, stands)).toEqual(answer);
    }
  });
});

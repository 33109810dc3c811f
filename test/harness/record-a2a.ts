import { existsSync, writeFileSync } from 'node:fs';
import type { Frame, Move, ProtocolClient } from '#protocol-client.ts';
import type { A2aClientConfig } from '../../bridges/a2a/index.ts';
import { Past } from './past.ts';
import { startAgent03 } from './peers/agent-03.ts';
import { startHarnServeAgent } from './peers/harn-serve-agent.ts';
import type { Peer } from './peers/peer.ts';
import { startSampleAgent } from './peers/sample-agent.ts';
import { a2aUpstream, textMessage } from './upstream-stage.ts';

/**
 * Writes fixtures/wire/a2a/<peer>-<story>.ndjson: one line per frame with the moves it means. A recording that exists is
 * never rewritten: a new behaviour is a new story. Run in the root: npm run build && node dist/test/harness/record-a2a.js
 */
const FIXTURES = 'fixtures/wire/a2a';

const STORIES: Record<string, readonly string[]> = {
  echo: ['The quick brown fox'],
  message: ['hello'],
  stream: ['stream 3'],
  file: ['file'],
  ask: ['ask', 'blue'],
  refuse: ['refuse'],
  fail: ['fail'],
};

/** It has no other behaviours. */
const HARN_SERVE_STORIES: readonly string[] = ['echo', 'ask', 'fail'];

const PEERS: Record<string, [() => Promise<Peer>, Partial<A2aClientConfig>]> = {
  'sdk-1.3-jsonrpc': [startSampleAgent, {}],
  'sdk-1.3-rest': [startSampleAgent, { binding: 'HTTP+JSON' }],
  'sdk-1.3-legacy': [startSampleAgent, { protocol: '0.3' }],
  'sdk-0.3.14': [startAgent03, {}],
  'harn-serve': [startHarnServeAgent, {}],
};

export interface RecordedFrame {
  turn: number;
  frame: Frame;
  moves: Move[];
}

async function record(upstream: ProtocolClient, texts: readonly string[]): Promise<RecordedFrame[]> {
  const past = new Past();
  const lines: RecordedFrame[] = [];
  for (const [index, text] of texts.entries()) {
    past.status = 'WORKING';
    const turn = {
      kind: index === 0 ? ('start' as const) : ('continue' as const),
      taskId: 't1',
      sessionId: 's1',
      message: textMessage(text, `message-${index + 1}`),
      binding: past.binding,
      sessionBinding: past.sessionBinding,
      bindingOf: () => undefined,
      tasksBoundTo: async () => new Map(),
      metadataSaid: () => [],
      tasksForked: () => [],
      sessionMetadata: {},
      judge: () => undefined,
      remembers: () => false,
      history: () => [],
      answerTo: () => undefined,
      isCanceled: () => false,
    };
    for await (const frame of upstream.run(turn, new AbortController().signal)) {
      const moves = upstream.interpret(frame, past);
      past.apply(moves);
      lines.push({ turn: index + 1, frame, moves });
    }
  }
  return lines;
}

for (const [peerName, [start, config]] of Object.entries(PEERS)) {
  for (const [story, texts] of Object.entries(STORIES)) {
    if (peerName === 'harn-serve' && !HARN_SERVE_STORIES.includes(story)) continue;
    const file = `${FIXTURES}/${peerName}-${story}.ndjson`;
    if (existsSync(file)) continue;
    const peer = await start();
    const upstream = a2aUpstream({ card: peer.cardUrl, ...config });
    const lines = await record(upstream, texts);
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await upstream.close();
    await peer.close();
  }
}

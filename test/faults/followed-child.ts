/**
 * A gateway to be followed: followed-child.js DATA
 * Prints its address and key. Its agent says "RATE events a second for SECONDS s" when a task asks for `burst RATE SECONDS`; each chunk
 * begins with the time at which it was said.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Move, Turn } from '#protocol-client.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { bind, chunk, PuppetClient, textOf } from './puppet-client.ts';

/** How often the agent speaks. */
const BEATS_A_SECOND = 20;

async function* play(turn: Turn): AsyncGenerator<Move[]> {
  yield [bind(turn)];
  const [word, rate = '0', seconds = '0'] = textOf(turn).split(' ');
  if (word === 'burst') yield* burst(Number(rate), Number(seconds));
  yield [chunk('end', word === 'burst', true)];
  yield [{ type: 'status', to: 'COMPLETED' }];
}

async function* burst(rate: number, seconds: number): AsyncGenerator<Move[]> {
  const startedAt = performance.now();
  let said = 0;
  while (said < rate * seconds) {
    const due = Math.min(rate * seconds, Math.ceil(((performance.now() - startedAt) / 1_000) * rate));
    const moves: Move[] = [];
    for (; said < due; said += 1) moves.push(chunk(`t=${Date.now()};`, said > 0));
    if (moves.length > 0) yield moves;
    await pause(1_000 / BEATS_A_SECOND);
  }
}

const gateway = await startTestGateway({
  data: process.argv[2] ?? '',
  config: { limits: { max_connections: 40_000, max_streams: 40_000 } },
  extraClients: [new PuppetClient(play)],
});
process.stdout.write(`${JSON.stringify({ url: gateway.url, key: gateway.client.key })}\n`);
process.once('SIGTERM', () => void gateway.close());

import { setTimeout as pause } from 'node:timers/promises';
import { EventStreamClient } from '../harness/event-stream.ts';
import { GatewayPlace, startAgentProcess } from './gateway-process.ts';
import { Journal } from './journal.ts';
import { checkAcknowledged, checkLog } from './log-oracle.ts';
import { MixedLoad } from './mixed-load.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';

const CLIENTS = 6;
const STREAMS = 40;
/** Source: quality.md, section 2. */
const DRAIN_MS = 10_000;

/**
 * SIGTERM under load and open streams, so many times: the gateway ends by itself, with code 0 and in time; streams are told
 * when to come back; whatever was acknowledged is there afterwards.
 */
export async function drains(seed: number, rounds: number): Promise<Report> {
  const report = new Report();
  const random = new SeededRandom(seed);
  const agent = await startAgentProcess();
  const place = new GatewayPlace({ upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } });
  const journal = new Journal('drain');
  try {
    for (let round = 0; round < rounds; round += 1) await drainOnce(place, journal, random, report);
    const gateway = await place.start();
    await checkAcknowledged(gateway.client, journal, report);
    await journal.repeat(gateway.client, journal.unknown, report);
    await checkLog(gateway.client, report);
    await gateway.stop();
    const { code, stdout } = await place.check();
    report.check(code === 0, () => `log check: ${stdout}`);
  } finally {
    await agent.end();
    place.remove();
  }
  return report;
}

async function drainOnce(
  place: GatewayPlace,
  journal: Journal,
  random: SeededRandom,
  report: Report,
): Promise<void> {
  const gateway = await place.start();
  const { client } = gateway;
  await client.submit('slow 30', (await client.session()).id);
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, () =>
      EventStreamClient.open(client, '/v1/events/stream', '0'.repeat(20)),
    ),
  );
  const load = new MixedLoad(journal, random);
  const running = load.run(client, CLIENTS);
  await pause(random.between(100, 400));
  const late = setTimeout(() => gateway.child.process.kill('SIGKILL'), DRAIN_MS);
  const { code, signal, stderr } = await gateway.stop();
  clearTimeout(late);
  load.stop();
  await running;
  report.count('drains');
  report.check(code === 0, () => `SIGTERM ended with ${code ?? signal}: ${stderr.slice(-500)}`);
  for (const stream of streams) {
    await stream.ended.catch(() => report.violations.push('a stream was cut instead of ended'));
    report.check(
      stream.text.endsWith('\n\n'),
      () => `a stream ended within a frame: ${stream.text.slice(-80)}`,
    );
    report.check(stream.text.includes('retry: '), () => 'a stream was not told when to come back');
    report.count('streams ended');
  }
}

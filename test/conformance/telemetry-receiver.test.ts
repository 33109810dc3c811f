import { afterEach, describe, expect, it, vi } from 'vitest';
import { startTestGateway } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import { MovingClient } from '../harness/moving-client.ts';
import { OtlpCollector } from '../harness/otlp-collector.ts';

const NOT_TAKEN = 'the OpenTelemetry receiver does not take what is sent';
const TAKEN_AGAIN = 'the OpenTelemetry receiver takes what is sent again';
const HEADER_SECRET = 'tok-4f9d02c7b1a84e55';

describe('a receiver of OpenTelemetry', () => {
  const { kept, closeNow } = keeper();
  afterEach(() => vi.unstubAllEnvs());

  async function stage(endpoint: string) {
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10');
    const gateway = kept(
      await startTestGateway({
        extraClients: [new MovingClient()],
        config: { telemetry: { otlp: { endpoint } } },
      }),
    );
    const run = async () => {
      const { id } = await gateway.client.submit('x');
      await gateway.client.until(id, 'COMPLETED');
    };
    const items = async (outcome: string) => {
      const { text } = await gateway.client.call('GET', '/metrics');
      const line = text
        .split('\n')
        .find((each) => each.startsWith(`harn_telemetry_items_total{signal="traces",outcome="${outcome}"}`));
      return Number(line?.split(' ').at(-1) ?? 0);
    };
    const said = (what: string) =>
      gateway
        .logText()
        .split('\n')
        .filter((line) => line.includes(what) && line.includes('"signal":"traces"'));
    return { gateway, run, items, said };
  }

  it('that refuses is said once in the log and counted, and so is that it is back', async () => {
    const collector = kept(await OtlpCollector.start());
    const takes = collector.answer;
    collector.answer = (response) => response.writeHead(400).end('no: what was sent');
    const { run, items, said, gateway } = await stage(collector.url);
    for (let n = 1; n <= 3; n += 1) {
      const before = await items('failed');
      await run();
      await expect.poll(() => items('failed')).toBeGreaterThan(before);
    }
    expect(said(NOT_TAKEN).map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 'warn', receiver: collector.url, reason: 'HTTP 400' },
    ]);
    collector.answer = takes;
    await run();
    await expect.poll(() => items('sent')).toBeGreaterThan(0);
    await run();
    expect(said(TAKEN_AGAIN)).toHaveLength(1);
    expect(gateway.logText()).not.toContain('what was sent"');
  });

  it('that is down stops neither a task nor the end of the gateway', async () => {
    const collector = await OtlpCollector.start();
    await collector.close();
    const { run, said, gateway } = await stage(collector.url);
    await run();
    await expect.poll(() => said(NOT_TAKEN).length, { timeout: 15_000 }).toBe(1);
    await run();
    const startedAt = performance.now();
    await closeNow(gateway);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });

  it('that never answers holds nobody up, and what finds no place meanwhile is counted as dropped', async () => {
    vi.stubEnv('OTEL_BSP_MAX_QUEUE_SIZE', '8');
    vi.stubEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '4');
    const collector = kept(await OtlpCollector.start());
    collector.answer = () => undefined;
    const { run, items, gateway } = await stage(collector.url);
    for (let n = 0; n < 5; n += 1) await run();
    expect(await items('dropped')).toBeGreaterThan(0);
    const startedAt = performance.now();
    await closeNow(gateway);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });

  it('gets the headers of OTEL_EXPORTER_OTLP_HEADERS, which no log line shows', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', `x-token=${HEADER_SECRET}`);
    const collector = kept(await OtlpCollector.start());
    const { run, gateway } = await stage(collector.url);
    const { id } = await gateway.client.submit(`my token is ${HEADER_SECRET}`);
    await gateway.client.until(id, 'COMPLETED');
    await run();
    await closeNow(gateway);
    expect(collector.received[0]?.headers['x-token']).toBe(HEADER_SECRET);
    expect(gateway.logText()).not.toContain(HEADER_SECRET);
  });
});

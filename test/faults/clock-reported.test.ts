import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

const HOUR_MS = 3_600_000;

describe('a wall clock that jumps under a gateway', () => {
  let gateway: TestGateway;
  let wallMs = Date.UTC(2026, 10, 21);
  let passedMs = 0;
  beforeEach(async () => {
    gateway = await startTestGateway({ clock: { now: () => wallMs, monotonic: () => passedMs } });
  });
  afterEach(() => gateway.close());

  const told = (text: string) =>
    gateway
      .logText()
      .split('\n')
      .filter((line) => line.includes(text)).length;
  async function details(): Promise<object> {
    const { status, body } = await gateway.client.call<{ details: object }>('GET', '/ready');
    expect(status).toBe(200);
    return body.details;
  }
  function pass(ms: number): void {
    wallMs += ms;
    passedMs += ms;
  }

  it('is told once in the log and by /ready, forward and back, and forgotten when it went evenly', async () => {
    await gateway.tidy();
    expect(await details()).toEqual({});

    wallMs += 5 * HOUR_MS;
    await gateway.tidy();
    await gateway.client.session();
    expect(await details()).toEqual({ clock_jumped_ms: 5 * HOUR_MS });
    expect(told('the wall clock jumped')).toBe(1);

    wallMs -= 5 * HOUR_MS;
    pass(1_000);
    await gateway.tidy();
    expect(await details()).toMatchObject({ clock_jumped_ms: -5 * HOUR_MS });
    expect(told('the wall clock is behind the newest event')).toBe(1);
    await gateway.client.session();
    pass(HOUR_MS / 4);
    await gateway.client.session();
    await gateway.tidy();
    expect(told('the times of new events follow the wall clock again')).toBe(1);
    pass(HOUR_MS);
    await gateway.tidy();
    expect(await details()).toEqual({});
    expect(told('the wall clock jumped')).toBe(2);
  });

  it('is not told for a clock that is set right by a little', async () => {
    wallMs += 30_000;
    await gateway.tidy();
    expect(await details()).toEqual({});
    expect(told('the wall clock jumped')).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '#gateway.ts';
import { AUTH, eventually, RawClient, startSurface, type UnderTest } from './surface-under-test.ts';

let under: UnderTest;
let finish: () => void;
beforeEach(async () => {
  under = await startSurface();
  under.gateway.answer = () =>
    new Promise<Answer>((resolve) => {
      finish = () => resolve({ status: 202, body: { kind: 'json', value: { id: 'task_1' } } });
    });
});
afterEach(async () => {
  await under.close();
});

const submit = () =>
  fetch(`${under.url}/v1/tasks`, {
    method: 'POST',
    headers: { ...AUTH, 'Content-Type': 'application/json' },
    body: '{}',
  });

describe('a shutdown', () => {
  it('finishes the answers under way, closes their connections, and takes no new ones', async () => {
    const answer = submit();
    await eventually(() => under.gateway.calls.length === 1);
    const closed = under.surface.close({ graceMs: 5_000 });
    await expect(fetch(`${under.url}/health`)).rejects.toThrow();
    finish();
    const response = await answer;
    expect(response.status).toBe(202);
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toEqual({ id: 'task_1' });
    expect(await closed).toBe(true);
  });

  it('does not wait for idle connections', async () => {
    const idle = new RawClient(under.port).send(
      `GET /health HTTP/1.1\r\nHost: localhost:${under.port}\r\n\r\n`,
    );
    await idle.until((text) => text.endsWith('}'));
    expect(await under.surface.close({ graceMs: 60_000 })).toBe(true);
    await idle.closed;
  });

  it('cuts what is left after the grace period and says so', async () => {
    const answer = submit();
    answer.catch(() => undefined);
    await eventually(() => under.gateway.calls.length === 1);
    expect(await under.surface.close({ graceMs: 20 })).toBe(false);
    await expect(answer).rejects.toThrow();
    await eventually(() => under.gateway.calls[0]?.call.signal.aborted === true);
  });

  it('asked twice ends once', async () => {
    const [first, second] = await Promise.all([
      under.surface.close({ graceMs: 100 }),
      under.surface.close({ graceMs: 100 }),
    ]);
    expect([first, second]).toEqual([true, true]);
  });
});

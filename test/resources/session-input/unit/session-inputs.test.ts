import { beforeEach, describe, expect, it } from 'vitest';
import { Redactor } from '#redaction/redactor.ts';
import type { InputSpec } from '#resources/session-input/schema.ts';
import { SessionInputs } from '#resources/session-input/session-inputs.ts';

const SECRET = 'the words of a secret';
const KIB = 1_024;

describe('the inputs of all sessions', () => {
  let nowMs: number;
  let logs: Redactor;
  let told: string[];
  let inputs: SessionInputs;
  beforeEach(() => {
    nowMs = 1_000_000;
    logs = new Redactor();
    told = [];
    const all = new Redactor();
    inputs = new SessionInputs({
      nowMs: () => nowMs,
      redact: all.clean.bind(all),
      newRedactor: () => new Redactor(),
      hideInLogs: (secrets) => logs.addLogSecrets(secrets),
      showInLogs: (secrets) => logs.dropLogSecrets(secrets),
      tell: async (sessionId) => {
        told.push(sessionId);
        return [];
      },
    });
  });

  const spec = (name: string, more: Partial<InputSpec> = {}): InputSpec => ({
    name,
    kind: 'secret',
    lifetime: { kind: 'session' },
    usage: { kind: 'session_tools' },
    ...more,
  });
  const put = (sessionId: string, name: string, value: string, more: Partial<InputSpec> = {}) =>
    inputs.put(sessionId, { spec: spec(name, more), value, replace: true });
  const logged = (text: string) => JSON.stringify(logs.redactForLog({ text }).value);
  const value = (name: string, origin?: string) => inputs.value('s', name, origin);
  const refused = (work: () => unknown): object => {
    try {
      work();
    } catch (error) {
      return error as object;
    }
    throw new Error('It was not refused.');
  };

  it('are hidden in what their session records, and in the log of the process, also when they are replaced', () => {
    put('s', 'TOKEN', SECRET);
    put('s', 'TOKEN', 'other words of it');
    inputs.remove('s', 'TOKEN');
    for (const text of [SECRET, 'other words of it']) {
      expect(inputs.redact('s', `I say ${text}.`).value).toMatch(/^I say <redacted:known_secret:\d+>\.$/);
      expect(inputs.redact('t', `I say ${text}.`).value).toBe(`I say ${text}.`);
      expect(logged(text)).not.toContain(text);
    }
  });

  it('are let go when their session is over, and what comes late is still read for a while', () => {
    expect(inputs.isEmpty).toBe(true);
    put('s', 'TOKEN', SECRET);
    put('t', 'TOKEN', SECRET);
    inputs.end('s');
    expect(told).toEqual(['s']);
    expect([value('TOKEN'), inputs.given('s', ['*'])]).toEqual([undefined, []]);
    nowMs += 899_999;
    inputs.tidy();
    expect(inputs.redact('s', SECRET).hit).toBe(true);
    nowMs += 1;
    inputs.tidy();
    expect(inputs.redact('s', SECRET).hit).toBe(false);
    // The other session still has it.
    expect(logged(SECRET)).not.toContain(SECRET);
    inputs.end('t');
    nowMs += 900_000;
    inputs.tidy();
    expect(inputs.isEmpty).toBe(true);
    expect(logged(SECRET)).toContain(SECRET);
  });

  it('of thousands of sessions that come and go leave nothing behind', () => {
    for (let n = 0; n < 3_000; n += 1) {
      put(`s${n}`, 'TOKEN', `${SECRET} ${n}`);
      inputs.end(`s${n}`);
    }
    const hidden = (n: number) => inputs.redact(`s${n}`, `${SECRET} ${n}.`).hit;
    expect([hidden(0), hidden(1_999), hidden(2_000), hidden(2_999)]).toEqual([false, false, true, true]);
    expect(logged(`${SECRET} 0.`)).toContain(SECRET);
    expect(logged(`${SECRET} 2999.`)).not.toContain(SECRET);
  });

  it('of one session are 256 names, 1 MiB and 4096 values at most, those that are hidden only included', () => {
    for (let n = 0; n < 256; n += 1) put('s', `N${n}`, `the value ${n}`);
    expect(refused(() => put('s', 'MORE', SECRET))).toMatchObject({
      code: 'invalid_request',
      param: 'spec.name',
      message: expect.stringContaining('256 inputs'),
    });
    const large = (n: number) => `${n} `.padEnd(64 * KIB, 'xy');
    for (let n = 0; n < 16; n += 1) put('t', 'LARGE', large(n));
    expect(refused(() => put('t', 'LARGE', large(16)))).toMatchObject({
      param: 'value',
      message: expect.stringContaining('1048576 bytes'),
    });
    expect(inputs.value('t', 'LARGE', undefined)).toBe(large(15));
    for (let n = 0; n < 4_096; n += 1) put('u', 'MANY', `the value ${n}`);
    expect(refused(() => put('u', 'MANY', SECRET))).toMatchObject({ code: 'invalid_request' });
    put('u', 'MANY', 'the value 0');
  });

  it('of all sessions are 64 MiB at most, and there is room again when some are over', () => {
    const large = (n: number) => `${n} `.padEnd(64 * KIB, 'xy');
    let session = 0;
    for (; session < 64; session += 1)
      for (let n = 0; n < 16; n += 1) put(`s${session}`, `L${n}`, large(n), { kind: 'variable' });
    expect(refused(() => put('more', 'TOKEN', SECRET))).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 900,
    });
    expect(inputs.list('more')).toEqual([]);
    inputs.end('s0');
    nowMs += 900_000;
    inputs.tidy();
    put('more', 'TOKEN', SECRET);
  });

  it('end at their time', () => {
    const until = (ms: number) => ({ lifetime: { kind: 'until' as const, unix_ms: ms } });
    put('s', 'TOKEN', SECRET, until(nowMs + 10));
    expect(value('TOKEN')).toBe(SECRET);
    nowMs += 10;
    expect([value('TOKEN'), inputs.list('s')]).toEqual([undefined, []]);
    expect(inputs.redact('s', SECRET).hit).toBe(true);
    expect(refused(() => put('s', 'TOKEN', SECRET, until(nowMs)))).toMatchObject({
      param: 'spec.lifetime.unix_ms',
      message: 'spec.lifetime.unix_ms: this time has passed. Name a later one.',
    });
  });

  it('for websites are for their origins alone, and an agent is told what they are for', () => {
    const usage = { kind: 'websites' as const, origins: ['https://a.test', 'https://b.test:8443'] };
    put('s', 'SITE', SECRET, { usage });
    expect([
      value('SITE', 'https://a.test'),
      value('SITE', 'https://b.test:8443'),
      value('SITE', 'https://b.test'),
      value('SITE', 'http://a.test'),
      value('SITE'),
    ]).toEqual([SECRET, SECRET, undefined, undefined, undefined]);
    expect(inputs.given('s', ['OTHER'])).toEqual([]);
    expect(inputs.given('s', ['SITE'])).toEqual([{ spec: spec('SITE', { usage }), value: SECRET }]);
    expect(inputs.given('s', ['*'])).toHaveLength(1);
  });
});

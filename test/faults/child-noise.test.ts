import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../bridges/wire/child.ts';

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const BODY = KEY.split('\n').slice(1, -2);

/** What a program that runs this code says on its standard error, line by line, and what it said last. */
async function noiseOf(code: string): Promise<{ lines: string[]; lastWords: string }> {
  const lines: string[] = [];
  const child = startChild({
    command: [process.execPath, '-e', code],
    env: {},
    timers: {
      setTimeout: (run, ms) => setTimeout(run, ms),
      clearTimeout: (handle) => clearTimeout(handle as never),
    },
    guard: { watch: () => undefined, release: () => undefined },
    maxLineBytes: 1_000,
    onLine: () => undefined,
    onNoise: (line) => lines.push(line),
  });
  const { lastWords } = await child.ended;
  return { lines, lastWords };
}

describe('what a child says on its standard error', () => {
  it('has no line of a private key, in its lines and in its last words', async () => {
    const { lines, lastWords } = await noiseOf(
      `process.stderr.write('loading\\n' + ${JSON.stringify(KEY)} + 'no such host\\n')`,
    );
    expect(lines.at(0)).toBe('loading');
    expect(lines.at(-1)).toBe('no such host');
    for (const line of BODY) {
      expect(lines.join('\n')).not.toContain(line);
      expect(lastWords).not.toContain(line);
    }
    expect(lastWords.endsWith('-----END PRIVATE KEY-----\nno such host\n')).toBe(true);
  });

  it('is told to its end, also where that is no line end', async () => {
    const { lines, lastWords } = await noiseOf(`process.stderr.write('one\\nthe disk is on fire')`);
    expect(lines).toEqual(['one', 'the disk is on fire']);
    expect(lastWords).toBe('one\nthe disk is on fire\n');
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ChildTransport } from '../../bridges/mcp/client/child-transport.ts';
import { startChild } from '../../bridges/wire/child.ts';

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const BODY = KEY.split('\n').slice(1, -2);

const CHILD = {
  env: {},
  timers: {
    setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
    clearTimeout: (handle: unknown) => clearTimeout(handle as never),
  },
  guard: { watch: () => undefined, release: () => undefined },
  maxLineBytes: 1_000,
};

/** What a program that runs this code says on its standard error, line by line, and what it said last. */
async function noiseOf(code: string): Promise<{ lines: string[]; lastWords: string }> {
  const lines: string[] = [];
  const child = startChild({
    command: [process.execPath, '-e', code],
    ...CHILD,
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

describe('what a server of MCP writes on its standard output', () => {
  it('is a message also behind what a terminal or a shell puts before it; the rest is noise', async () => {
    const lines = [
      'Welcome!',
      '\u001b[?25l{"jsonrpc":"2.0","method":"a"}',
      '{"b":1}',
      '{"jsonrpc":"2.0","method":"c"}',
    ];
    const noise: string[] = [];
    const messages: unknown[] = [];
    const transport = new ChildTransport({
      ...CHILD,
      command: [process.execPath, '-e', `process.stdout.write(${JSON.stringify(`${lines.join('\n')}\n`)})`],
      parseJson: (text) => JSON.parse(text),
      onNoise: (line) => noise.push(line),
    });
    transport.onmessage = (message) => messages.push(message);
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.start();
    await closed;
    expect(messages).toEqual(['a', 'c'].map((method) => ({ jsonrpc: '2.0', method })));
    expect(noise).toEqual(['Welcome!', '{"b":1}']);
  });
});

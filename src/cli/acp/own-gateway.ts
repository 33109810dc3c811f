import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ProcessGuard } from '#operation/process-guard.ts';
import { CliError, EXIT } from '../exit-codes.ts';

/** A gateway that lives as long as the launcher that started it. */
export interface OwnGateway {
  url: string;
  data: string;
  close(): Promise<void>;
}

/** Bytes of its standard error in which its reason is looked for, and characters of that. */
const TAIL = 4_000;
const REASON_CHARS = 500;

/**
 * Starts `serve` on a free port of the data directory. Its log lines go to our standard error. Throws CliError when it ends, with
 * its exit code and what it said last.
 */
export async function startGateway(data: string, config: string | undefined): Promise<OwnGateway> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const program = process.argv[1] ?? '';
  // Editors keep our standard error in logs of theirs, where a key does not belong.
  const flags = [
    '--quiet',
    // It ends with this editor, so no other one should rely on it.
    '--unlisted',
    '--data',
    data,
    '--port',
    '0',
    ...(config === undefined ? [] : ['--config', config]),
  ];
  const child = spawn(process.execPath, [program, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // It uses its own data directory. A port or a configuration file of the environment is meant for other gateways.
    env: process.env,
    detached: true,
  });
  const guard = new ProcessGuard({ warn: report });
  if (child.pid !== undefined) guard.watch(child.pid);
  const ended = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      if (child.pid !== undefined) guard.release(child.pid);
      resolve(code);
    }),
  );
  let tail = '';
  child.stderr.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    tail = (tail + String(chunk)).slice(-TAIL);
  });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.once('line', (line) => resolve((JSON.parse(line) as { url: string }).url));
    child.once('error', reject);
    void ended.then((code) => {
      const reason = tail.trimEnd().split('\n').at(-1)?.slice(0, REASON_CHARS) ?? '';
      const words = `No gateway runs, and the one that was started on ${data} ended (exit code ${code}): ${reason}`;
      reject(new CliError(words, code ?? EXIT.failed));
    });
  });
  return {
    url,
    data,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function report({ why }: Record<string, unknown>, what: string): void {
  process.stderr.write(`harn-gateway: ${what}: ${why}\n`);
}

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ProcessGuard } from '../../operation/process-guard.ts';
import { CliError } from '../exit-codes.ts';
import { packageRoot } from '../package-facts.ts';

/** A gateway that lives as long as the launcher that started it. */
export interface OwnGateway {
  url: string;
  close(): Promise<void>;
}

/** Starts `serve` on a free port of the data directory. Its log lines go to our standard error. Rejects when it ends. */
export async function startGateway(data: string, config: string | undefined): Promise<OwnGateway> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const program = process.argv[1] ?? '';
  // Editors keep our standard error in logs of theirs, where a key does not belong.
  const flags = [
    '--quiet',
    '--data',
    data,
    '--port',
    '0',
    ...(config === undefined ? [] : ['--config', config]),
  ];
  const child = spawn(process.execPath, [program, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Its own data directory holds; a port or config of the environment is for other gateways.
    env: process.env,
    detached: true,
  });
  const guard = ProcessGuard.ofPackage(packageRoot, { warn: tell });
  if (child.pid !== undefined) guard.watch(child.pid);
  const ended = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      if (child.pid !== undefined) guard.release(child.pid);
      resolve(code);
    }),
  );
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.once('line', (line) => resolve((JSON.parse(line) as { url: string }).url));
    child.once('error', reject);
    void ended.then((code) => reject(new CliError(`The gateway on ${data} ended with code ${code}.`)));
  });
  return {
    url,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function tell({ why }: Record<string, unknown>, what: string): void {
  process.stderr.write(`harn-gateway: ${what}: ${why}\n`);
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { PROGRAM } from '../faults/child-processes.ts';
import { AcpClient, type AcpClientOptions } from './acp-client.ts';

interface AcpLauncherOptions extends AcpClientOptions {
  /** What the editor starts, instead of the built program. */
  command?: readonly [program: string, ...args: string[]];
  cwd?: string;
}

/** `harn-gateway acp` as an editor spawns it, with a client of the official SDK on its standard streams. */
export class AcpLauncher {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  readonly client: AcpClient;
  stderr = '';
  /** Everything it wrote to standard output. */
  stdout = '';

  constructor(flags: readonly string[], env: Record<string, string> = {}, options: AcpLauncherOptions = {}) {
    const [program, ...args] = options.command ?? [process.execPath, PROGRAM, 'acp'];
    this.process = spawn(program, [...args, ...flags], {
      stdio: 'pipe',
      cwd: options.cwd,
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });
    this.ended = new Promise((resolve) => this.process.once('close', (code) => resolve(code)));
    this.process.stderr.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
    this.process.stdout.on('data', (chunk) => {
      this.stdout += String(chunk);
    });
    const input = Readable.toWeb(this.process.stdout) as unknown as ReadableStream<Uint8Array>;
    this.client = new AcpClient(ndJsonStream(Writable.toWeb(this.process.stdin), input), options);
  }

  /** What an editor does when it goes. */
  async close(): Promise<number | null> {
    this.process.stdin.end();
    return this.ended;
  }
}

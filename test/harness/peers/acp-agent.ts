import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { acpTestAgent } from './acp-test-agent.ts';

/**
 * The test agent as a process, on standard streams. Flags besides those of `acpTestAgent`: `--deaf` ignores SIGTERM and the end of
 * its input, `--noise` prints what is no JSON.
 */
const flags = process.argv.slice(2);
const isDeaf = flags.includes('--deaf');
if (isDeaf) process.on('SIGTERM', () => undefined);
if (isDeaf) setInterval(() => undefined, 1_000);
if (flags.includes('--noise')) process.stdout.write('Welcome to your shell!\n\u001b]0;title\u0007');

const stdin = Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>;
const app = acpTestAgent(flags, {
  exit: (code) => process.exit(code),
  write: (message) => void process.stdout.write(`${message}\n`),
});
const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), stdin));
if (!isDeaf) void connection.closed.then(() => process.exit(0));

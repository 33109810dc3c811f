/**
 * Replays every ended task of a data directory: replay-child.js DATA
 * Prints the version of Node and the replay check.
 */
import { startTestGateway } from '../harness/gateway.ts';
import { readToEnd } from '../harness/replay-checks.ts';

const gateway = await startTestGateway({ data: process.argv[2] ?? '' });
const check = await readToEnd(gateway.client, { sample: 1, since: '2000-01-01T00:00:00Z' });
await gateway.close();
process.stdout.write(JSON.stringify({ version: process.version, check }));

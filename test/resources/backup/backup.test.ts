import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { runCommand } from '../../interop/command-line.ts';

let place: string;
let gateway: TestGateway;
beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'harn-backup-'));
  gateway = await startTestGateway();
});
afterEach(async () => {
  await gateway.close();
  rmSync(place, { recursive: true, force: true });
});

const backUp = (to: string, ...flags: string[]) =>
  runCommand(['backup', to, '--url', gateway.url, '--key', gateway.client.key, '--json', ...flags]);

describe('a backup', () => {
  it('first', async () => {
    for (let n = 0; n < 5; n += 1) await gateway.client.session();
    const dir = join(place, 'b');
    console.log(await backUp(dir));
    for (let n = 0; n < 5; n += 1) await gateway.client.session();
    console.log(await backUp(dir));
    console.log(readdirSync(dir));
    console.log(await runCommand(['log', 'check', '--data', dir]));
    console.log(
      await runCommand(['restore', dir, '--data', join(place, 'r'), '--accept-truncation', 'test']),
    );
    console.log(await runCommand(['log', 'check', '--data', join(place, 'r')]));
    console.log(readdirSync(join(place, 'r')), readdirSync(place));
    expect(1).toBe(1);
  });
});

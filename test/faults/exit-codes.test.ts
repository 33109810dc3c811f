import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metaKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal } from '#store/sealed-record.ts';
import { runCommand } from '../interop/command-line.ts';
import { killChildren, runProgram } from './child-processes.ts';
import { GatewayPlace } from './gateway-process.ts';

let place: GatewayPlace;
beforeEach(() => {
  place = new GatewayPlace();
});
afterEach(() => {
  killChildren();
  place.remove();
});
afterAll(killChildren);

/** As a process, whose exit code is the system's. */
async function serve(...flags: string[]): Promise<Said> {
  const { code, stdout, stderr } = await runProgram('serve', '--config', place.config, ...flags);
  return { code, out: stdout, err: stderr };
}

/** In this process: its exit code is what `main.ts` sets. */
const log = (command: string) => runCommand(['log', command, '--config', place.config]);

interface Said {
  code: number | null;
  out: string;
  err: string;
}

/** One line that says what is wrong, and nothing on standard output. */
function expectRefusal({ code, out, err }: Said, exitCode: number, words: RegExp): void {
  expect({ code, out, err }).toEqual({ code: exitCode, out: '', err: expect.stringMatching(words) });
  expect(err.trimEnd().split('\n').at(-1)).toMatch(/^error: /);
}

describe('a gateway that cannot start (D-10, D-13, D-18, O-10)', () => {
  it('ends with 4 beside another one on the same data, and the first goes on', async () => {
    const first = await place.start();
    expectRefusal(await serve(), 4, new RegExp(`in use by process ${first.child.process.pid}`));
    expectRefusal(await log('accept-truncation'), 4, /in use/);
    expect((await first.client.session()).id).toMatch(/^session_/);
    expect((await first.stop()).code).toBe(0);
  });

  it('ends with 3 when the data directory is a file', async () => {
    writeFileSync(place.data, 'no directory');
    expectRefusal(await serve(), 3, /data/);
  });

  it('ends with 3 and names the path when the store is damaged beyond opening', async () => {
    const gateway = await place.open();
    await gateway.client.session();
    await gateway.close();
    rmSync(join(place.data, 'store', 'CURRENT'));
    expectRefusal(await serve(), 3, /store is damaged/);
    expectRefusal(await log('check'), 3, /store is damaged/);
  });

  it('ends with 3 when there is no log to check', async () => {
    expectRefusal(await log('check'), 3, /no event log/);
  });

  it.each([
    [
      '5 on data of a newer version',
      99,
      5,
      /newer version \(schema 99; this one reads 6\).* Start that version/,
    ],
    ['3 on data of schema 1', 1, 3, /older version .* run ".* session export"/],
    [
      '3 on data of schema 5, which was never released, and says how to take it along',
      5,
      3,
      /schema 5; this one reads 6.*never released.*session export" for each session/,
    ],
  ])('ends with %s, and changes nothing', async (_what, schema, exitCode, words) => {
    await (await place.open()).close();
    const path = join(place.data, 'store');
    const store = await openLevelStore({ path });
    const key = metaKey('schema');
    const other = seal(JSON.stringify({ log_id: 'log_of_another_day', schema }), key);
    await store.write([{ type: 'put', key, value: other }]);
    await store.close();
    expectRefusal(await serve(), exitCode, words);
    for (const command of ['check', 'accept-truncation']) expectRefusal(await log(command), exitCode, words);
    const after = await openLevelStore({ path });
    expect(after.get(key)).toEqual(other);
    await after.close();
  });

  it('ends with 2 and every fault when the configuration is bad', async () => {
    writeFileSync(place.config, 'server: {port: 99999, nonsense: 1}\nlimits: {max_body_bytes: -1}\n');
    const { code, err } = await serve();
    expect(code).toBe(2);
    for (const path of ['server.port', 'server.nonsense', 'limits.max_body_bytes'])
      expect(err).toContain(path);
  });

  it.each([
    ['an unknown option', ['serve', '--nonsense']],
    ['an unknown command', ['nonsense']],
    ['a configuration file that is not there', ['serve', '--config', '/nonexistent/gateway.yaml']],
    ['a port that is none', ['serve', '--port', 'eighty']],
  ])('ends with 2 for %s', async (_what, args) => {
    const { code, stdout, stderr } = await runProgram(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('ends with 2 when the port is in use, and gives the data free again', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    expectRefusal(await serve('--port', String(port)), 2, /port is in use/);
    await new Promise((resolve) => other.close(resolve));
    await (await place.open()).close();
  });
});

describe('a key directory that others can read (O-12)', () => {
  it('keeps the gateway from starting', async () => {
    const gateway = await place.open();
    await gateway.client.session();
    await gateway.close();
    chmodSync(join(place.data, 'keys'), 0o755);
    expectRefusal(await serve(), 3, /keys/);
  });
});

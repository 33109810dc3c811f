import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { Child, killChildren, PACKAGE_ROOT } from '../child-processes.ts';

/** The tests of the port EventLog, and some of whole gateways; most of those run with three of them below. */
const SLICES = {
  'of the log': ['test/unit/eventlog'],
  'of a gateway': ['test/conformance/large-payloads', 'test/conformance/sse'],
};
/** Behind a proxy, with three gateways on each log; all of conformance and interop passes so, in more time than there is here. */
const OF_THREE = [
  ...['idempotency', 'sse', 'paging', 'errors', 'websocket', 'a2a-errors'].map(
    (name) => `conformance/${name}`,
  ),
  ...['a2a-one-meaning', 'a2a-server', 'acp-server', 'mcp-client-stateless'].map((name) => `interop/${name}`),
];
const LIMIT_MS = 400_000;

describe.skipIf(NATS_SERVER === undefined)(needsNats('the same tests on JetStream'), () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await NatsServers.start();
  });
  afterAll(async () => {
    await killChildren();
    await servers.close();
  });

  it.each(Object.entries(SLICES))(
    'those %s pass, as on LevelDB',
    async (_, files) => {
      await runTests(files);
    },
    LIMIT_MS,
  );

  it(
    'those of a gateway pass with three of them behind a proxy',
    async () => {
      await runTests(
        OF_THREE.map((name) => `test/${name}`),
        { HARN_NODES: '3' },
      );
    },
    LIMIT_MS,
  );

  async function runTests(what: readonly string[], env: Record<string, string> = {}): Promise<void> {
    const vitest = `${PACKAGE_ROOT}node_modules/vitest/vitest.mjs`;
    const run = ['run', '--config', `${PACKAGE_ROOT}config/vitest.config.ts`, '--maxWorkers', '1'];
    const child = new Child([vitest, ...run, ...what], {
      ...env,
      HARN_LOG_ON_NATS: servers.urls.join(),
      HOME: process.env['HOME'],
    });
    const { code, stdout, stderr } = await child.ended;
    expect(code, `${stdout.slice(-4_000)}${stderr.slice(-2_000)}`).toBe(0);
    expect(stdout).toMatch(/Tests .*\d+ passed/);
  }
});

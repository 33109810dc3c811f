import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import { Child, killChildren, PACKAGE_ROOT } from '../child-processes.ts';

/** The tests of the port EventLog, and some of whole gateways. */
const SLICES = {
  'of the log': ['test/unit/eventlog'],
  'of a gateway': ['idempotency', 'sse', 'paging', 'errors', 'large-payloads', 'websocket'].map(
    (name) => `test/conformance/${name}`,
  ),
};
const LIMIT_MS = 240_000;

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
      const vitest = `${PACKAGE_ROOT}node_modules/vitest/vitest.mjs`;
      const run = ['run', '--config', `${PACKAGE_ROOT}config/vitest.config.ts`, '--maxWorkers', '1'];
      const child = new Child([vitest, ...run, ...files], {
        HARN_LOG_ON_NATS: servers.urls.join(),
        HOME: process.env['HOME'],
      });
      const { code, stdout, stderr } = await child.ended;
      expect(code, `${stdout.slice(-4_000)}${stderr.slice(-2_000)}`).toBe(0);
      expect(stdout).toMatch(/Tests .*\d+ passed/);
    },
    LIMIT_MS,
  );
});

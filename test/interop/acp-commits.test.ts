import { expect, it } from 'vitest';
import { openLevelStore } from '#store/level-store.ts';
import { AcpClient } from '../harness/acp-client.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { FaultyStore } from '../harness/faulty-store.ts';
import { startTestGateway } from '../harness/gateway.ts';

/** Frames are gathered for this long; here until somebody waits for them, so that the count is the same on every machine. */
const GATHER_MS = 2;
const PATIENT_MS = 60_000;

/**
 * Each step is durable before somebody acts on it, and each waits for what the one before set going, so that none can be joined:
 * the prompt is a task before the agent works on it, or a crash would leave work that nobody knows of, and the editor would
 * have it done again; what the editor is shown and asked is in the log before, or it would have seen what never was; a
 * decision is on record before the agent acts on it; the end is what the prompt is answered with.
 */
it('a turn of seven updates and a permission is made durable in four steps: prompt, question, answer, end', async () => {
  let store: FaultyStore | undefined;
  const timers = {
    setTimeout: (run: () => void, ms: number) => setTimeout(run, ms === GATHER_MS ? PATIENT_MS : ms),
    clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
  };
  const gateway = await startTestGateway({
    extraClients: [acpUpstream([], {}, { timers })],
    openStore: async (options) => {
      store = new FaultyStore(await openLevelStore(options));
      return store;
    },
  });
  const client = await AcpClient.overSocket(gateway.url, gateway.client.key, {
    permission: async () => ({ outcome: { outcome: 'selected', optionId: 'yes' } }),
  });
  const { sessionId } = await client.session({ route: 'acp:peer' });
  await client.prompt(sessionId, 'turn');
  const before = store?.calls('write') ?? 0;
  await client.prompt(sessionId, 'turn');
  expect((store?.calls('write') ?? 0) - before).toBe(4);
  client.close();
  await gateway.close();
});

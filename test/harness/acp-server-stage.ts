import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { AcpClient, type AcpClientOptions } from './acp-client.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';
import { startAcpAgent } from './peers/acp-socket-agent.ts';
import { startSampleAgent } from './peers/sample-agent.ts';

/** A gateway for one file of tests, with the A2A sample agent and the ACP test agent behind it, and clients of its ACP face. */
export interface AcpServerStage {
  readonly gateway: TestGateway;
  /** A client of the official SDK on a WebSocket; closed after the test. */
  connect(options?: AcpClientOptions, key?: string): Promise<AcpClient>;
}

export function acpServerStage(): AcpServerStage {
  let gateway: TestGateway;
  let sample: Awaited<ReturnType<typeof startSampleAgent>>;
  let coder: Awaited<ReturnType<typeof startAcpAgent>>;
  const open: AcpClient[] = [];
  beforeAll(async () => {
    coder = await startAcpAgent();
    sample = await startSampleAgent();
    gateway = await startTestGateway({
      config: {
        upstreams: {
          a2a: [{ id: 'sample', card: sample.cardUrl }],
          acp: [{ id: 'coder', url: coder.url }],
        },
        limits: { cancel_wait_ms: 500 },
      },
      keys: [
        { actor: 'reader', scopes: ['runtime:read', 'sessions:read', 'events:read'] },
        { actor: 'friend' },
      ],
    });
  });
  afterEach(() => {
    for (const client of open.splice(0)) client.close();
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    await sample.close();
    await coder.close();
  });
  return {
    get gateway() {
      return gateway;
    },
    async connect(options = {}, key = gateway.client.key) {
      const client = await AcpClient.overSocket(gateway.url, key, options);
      open.push(client);
      return client;
    },
  };
}

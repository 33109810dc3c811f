import { afterAll, beforeAll, expect } from 'vitest';
import type { VersionId } from '#protocol/versions.ts';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../harness/gateway.ts';
import { OpenApiCheck, referenceCheck } from '../harness/openapi-check.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { allEvents, eventFindings } from './event-findings.ts';

export interface StageOptions extends TestGatewayOptions {
  /** Agents besides the sample agent, by upstream id. */
  agents?: Record<string, () => Promise<Peer>>;
  /** Members of the sample agent's upstream row. */
  upstream?: Record<string, unknown>;
}

/** Differences from the reference document that are meant, and why. */
const EXCEPTIONS: Record<string, string> = {
  'reference: GET /v1/agent-card 200 /object must be equal to one of the allowed values':
    'C1: older clients are answered with agent_card.',
  "reference: POST /v1/tasks/{task_id}/cancel 409  must have required property 'code'":
    'D2: the envelope everywhere; the newer document names the bare Error here alone.',
  "reference: POST /v1/tasks/{task_id}/cancel 409  must have required property 'message'": 'D2, as above.',
  "reference: POST /v1/tasks/{task_id}/cancel 409  must have required property 'type'": 'D2, as above.',
};

/** A gateway in front of the sample agent, for the tests of one file. */
export class Stage {
  #gateway: TestGateway | undefined;
  readonly peers: Record<string, Peer> = {};
  readonly #checks = new Map<VersionId, OpenApiCheck[]>();

  get gateway(): TestGateway {
    if (this.#gateway === undefined) throw new Error('the stage is not up');
    return this.#gateway;
  }

  /** The client that may do everything in `workspace_default`. */
  get client(): TestClient {
    return this.gateway.client;
  }

  /** The client of one of `options.keys`. */
  as(actor: string): TestClient {
    const found = this.gateway.clients[actor];
    if (found === undefined) throw new Error(`no key for ${actor}`);
    return found;
  }

  peer(id: string): Peer {
    const found = this.peers[id];
    if (found === undefined) throw new Error(`no agent ${id}`);
    return found;
  }

  async open({ agents = {}, upstream = {}, config = {}, ...options }: StageOptions): Promise<void> {
    this.peers['sample'] = await startSampleAgent();
    for (const [id, start] of Object.entries(agents)) this.peers[id] = await start();
    const a2a = Object.entries(this.peers).map(([id, { cardUrl }]) => ({
      id,
      card: cardUrl,
      ...structuredClone(upstream), // One object twice would be a YAML alias.
    }));
    this.#gateway = await startTestGateway({ ...options, config: { upstreams: { a2a }, ...config } });
    await this.#learn(this.client);
    for (const client of Object.values(this.gateway.clients)) this.check(client);
  }

  /** The same client in another version of the protocol. */
  async speaking(version: VersionId, { key } = this.client): Promise<TestClient> {
    const client = new TestClient(this.client.url, key, version);
    await this.#learn(client);
    return this.check(client);
  }

  async #learn(client: TestClient): Promise<void> {
    const { version } = client;
    if (this.#checks.has(version)) return;
    const document = (await client.call('GET', '/openapi.json')).body;
    const reference = referenceCheck(version);
    const checks = [new OpenApiCheck('ours', document), ...(reference === undefined ? [] : [reference])];
    this.#checks.set(version, checks);
  }

  /** Lets every JSON answer to this client be checked against our document and the reference of its version. */
  check(client: TestClient): TestClient {
    const checks = this.#checks.get(client.version) ?? [];
    client.onAnswer = (method, path, answer) => {
      const findings = checks.flatMap((check) => check.findings(method, path, answer));
      expect(findings.filter((finding) => !(finding in EXCEPTIONS))).toEqual([]);
    };
    return client;
  }

  /** Closes all, once every event of the run was found right. */
  async close(): Promise<void> {
    if (this.#gateway === undefined) return;
    try {
      expect(eventFindings(await allEvents(this.gateway.log))).toEqual([]);
    } finally {
      await this.#gateway.close();
      for (const peer of Object.values(this.peers)) await peer.close();
    }
  }
}

/** The stage of a test file: up before its first test, checked and down after its last. */
export function stageOf(options: StageOptions = {}): Stage {
  const stage = new Stage();
  beforeAll(() => stage.open(options));
  afterAll(() => stage.close());
  return stage;
}

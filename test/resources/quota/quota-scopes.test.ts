import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { aborted, bind, PuppetClient } from '../../faults/puppet-client.ts';
import { type TestClient, userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';

const PERSONA = {
  id: 'clerk',
  name: 'Clerk',
  version: '1',
  entry_workflow: 'test:puppet',
  description: 'Works.',
  autonomy_tier: 'act_auto',
  receipt_policy: 'optional',
};

const working = () =>
  new PuppetClient(async function* (turn, signal) {
    yield [bind(turn)];
    await aborted(signal);
  });

/** Limits with room for so many tasks. */
const KINDS: Record<string, (tasks: number) => object> = {
  concurrent_tasks: (tasks) => ({ limits: { concurrent_tasks: tasks } }),
  queued_tasks: (tasks) => ({ limits: { queued_tasks: tasks } }),
  tasks_per_hour: (tasks) => ({ limits: { tasks_per_hour: tasks } }),
  tokens: (tasks) => ({ limits: { tokens: tasks * 500 }, per_task: { tokens: 500 } }),
  spend: (tasks) => ({ limits: { spend: tasks * 0.1 }, per_task: { spend: 0.1 } }),
  runtime_seconds: (tasks) => ({
    limits: { runtime_seconds: tasks * 900 },
    per_task: { runtime_seconds: 900 },
  }),
};

describe('quotas of every scope and kind', () => {
  let data: string;
  let gateway: TestGateway | undefined;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'harn-quotas-'));
  });
  afterEach(async () => {
    await gateway?.close();
    rmSync(data, { recursive: true, force: true });
  });

  /** Room for two tasks of the persona, two of the workspace, two of the tenant, and one more in all. */
  async function start(kind: (tasks: number) => object): Promise<TestGateway> {
    const dir = join(data, 'personas');
    mkdirSync(dir);
    writeFileSync(join(dir, 'clerk.yaml'), stringify(PERSONA));
    gateway = await startTestGateway({
      data,
      extraClients: [working()],
      keys: [
        { actor: 'worker', workspaces: ['workspace_free', 'workspace_bound'] },
        { actor: 'guest', tenant: 'tenant_guest', workspaces: ['workspace_guest'] },
      ],
      config: {
        personas: { dir },
        tenants: [{ id: 'tenant_guest' }],
        workspaces: [
          { id: 'workspace_free' },
          { id: 'workspace_bound' },
          { id: 'workspace_guest', tenant: 'tenant_guest' },
        ],
        quotas: [
          { id: 'of-persona', scope: 'persona', owner: 'clerk', ...kind(2) },
          { id: 'of-workspace', scope: 'workspace', owner: 'workspace_bound', ...kind(2) },
          { id: 'of-tenant', scope: 'tenant', owner: 'tenant_guest', ...kind(2) },
          { id: 'of-all', scope: 'organization', ...kind(7) },
        ],
      },
    });
    return gateway;
  }

  it.each(Object.entries(KINDS))(
    '%s: takes what there is room for, and says whose quota is used up',
    async (name, kind) => {
      const { client, clients } = await start(kind);
      const [worker, guest] = [clients['worker'] as TestClient, clients['guest'] as TestClient];
      const isQueue = name === 'queued_tasks';
      /** What became of so many submissions, once a first one keeps the others waiting where that is what counts. */
      const outcomes = async (count: number, as: TestClient, workspace_id: string, persona_id?: string) => {
        const session = await as.post<{ id: string }>('/v1/sessions', { workspace_id });
        const body = { input: userText('go'), ...(persona_id === undefined ? {} : { persona_id }) };
        const path = async () =>
          `/v1/sessions/${isQueue ? session.id : (await as.post<{ id: string }>('/v1/sessions', { workspace_id })).id}/tasks`;
        if (isQueue) await as.post(await path(), body);
        const found: unknown[] = [];
        for (let at = 0; at < count; at += 1) {
          const answer = await as.call('POST', await path(), { body });
          const { error } = answer.body as { error?: { details: object } };
          found.push(error === undefined ? answer.status : [answer.status, error.details]);
        }
        return found;
      };
      const refused = (quota?: string) => [
        422,
        expect.objectContaining({ ...(quota ? { quota_id: quota } : {}), limit: name, hard_limit: true }),
      ];
      expect(await outcomes(3, worker, 'workspace_free', 'clerk')).toEqual([202, 202, refused('of-persona')]);
      expect(await outcomes(3, worker, 'workspace_bound')).toEqual([202, 202, refused('of-workspace')]);
      expect(await outcomes(3, guest, 'workspace_guest')).toEqual([202, 202, refused('of-tenant')]);
      expect(await outcomes(2, client, 'workspace_default')).toEqual([202, refused('of-all')]);
      const { data: quotas } = await client.get<{ data: { id: string; exhaustion_reason: string | null }[] }>(
        '/v1/quotas',
      );
      const reasons = Object.fromEntries(quotas.map(({ id, exhaustion_reason }) => [id, exhaustion_reason]));
      expect(reasons).toMatchObject({ 'of-all': name, 'of-persona': name });
    },
  );
});

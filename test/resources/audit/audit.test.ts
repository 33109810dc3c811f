import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditLine } from '#resources/audit/schema.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import type { TestClient } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { askForBackup } from '../backup/backup-stage.ts';

interface Page {
  data: AuditLine[];
  has_more: boolean;
  next_cursor: string | null;
}

const SECRET = 'x9f3kq7zv2w8';

describe('the audit export', () => {
  let gateway: TestGateway;
  let client: TestClient;
  let nowMs = Date.now();
  beforeEach(async () => {
    nowMs = Date.now();
    gateway = await startTestGateway({
      clock: { now: () => nowMs, monotonic: () => performance.now() },
      extraClients: [new AskingClient()],
      keys: [
        { actor: 'siem', scopes: ['audit:read'], workspaces: ['workspace_default'] },
        { actor: 'elsewhere', scopes: ['audit:read'], workspaces: ['workspace_other'] },
        { actor: 'clerk', scopes: ['tasks:read'], workspaces: ['workspace_default'] },
        { actor: 'operator', scopes: ['audit:read', 'operator'], workspaces: ['workspace_default'] },
        {
          actor: 'stranger',
          tenant: 'tenant_other',
          scopes: ['audit:read'],
          workspaces: ['workspace_theirs'],
        },
      ],
      config: {
        tenants: [{ id: 'tenant_other' }],
        workspaces: [{ id: 'workspace_other' }, { id: 'workspace_theirs', tenant: 'tenant_other' }],
      },
    });
    client = gateway.client;
  });
  afterEach(() => gateway.close());

  const as = (actor: string): TestClient => {
    const found = gateway.clients[actor];
    if (found === undefined) throw new Error(`no key for ${actor}`);
    return found;
  };
  const all = async (by: TestClient, query = ''): Promise<AuditLine[]> => {
    const lines: AuditLine[] = [];
    for (let cursor = ''; ; ) {
      const page = await by.get<Page>(`/v1/audit?limit=3${query}${cursor}`);
      lines.push(...page.data);
      if (!page.has_more) return lines;
      cursor = `&after=${page.next_cursor}`;
    }
  };

  /** Decisions of every sort. Returns the ids of what they were about. */
  async function decide() {
    const { id: taskId, session_id } = await client.submit('tool', undefined, {
      route: 'fake:asking',
      note: SECRET,
    });
    await client.until(taskId, 'AUTH_REQUIRED');
    const asked = await client.get<{ data: { id: string }[] }>(`/v1/tasks/${taskId}/permission-requests`);
    const request = asked.data[0]?.id ?? '';
    await client.post(`/v1/permission-requests/${request}/respond`, { approved: false, reason: SECRET });
    await client.until(taskId, 'COMPLETED', 'FAILED');
    const key = await client.post<{ id: string; key: string }>('/v1/admin/api-keys', {
      name: 'ci',
      actor: 'ci-bot',
      scopes: ['tasks:read'],
      workspaces: ['workspace_default'],
      metadata: { note: SECRET },
    });
    await client.post(`/v1/admin/api-keys/${key.id}/revoke`);
    const rule = await client.post<{ id: string }>('/v1/permissions/rules', {
      scope: 'workspace',
      scope_value: 'workspace_default',
      class: 'write',
      action_pattern: SECRET,
      target_pattern: 'src/**',
      allow: false,
    });
    await client.call('DELETE', `/v1/permissions/rules/${rule.id}`);
    const hold = await client.post<{ id: string }>('/v1/holds', {
      name: 'case 17',
      session_ids: [session_id],
      reason: 'auditors',
    });
    await client.post(`/v1/holds/${hold.id}/release`, { reason: 'over' });
    await client.post('/v1/erasures', { session_id: (await client.session()).id, rule: 'a law' });
    await as('clerk').call('POST', '/v1/sessions', { body: { workspace_id: 'workspace_default' } });
    return { taskId, request, key, rule, hold };
  }

  it('tells who decided what, with which result and by which rule, and nothing secret', async () => {
    const { taskId, request, key, rule, hold } = await decide();
    const kinds = async () => (await all(as('siem'))).map(({ kind }) => kind);
    // Behind the answer.
    await expect.poll(kinds).toContain('vendor.harn_gateway.call_refused');
    const lines = await all(as('siem'));
    const of = (kind: string) => lines.find((line) => line.kind === kind || line.kind.endsWith(`.${kind}`));
    expect(of('tool.approval_required')).toMatchObject({
      result: 'asked',
      task_id: taskId,
      request_id: request,
    });
    expect(of('tool.denied')).toMatchObject({ who: 'actor_test', result: 'denied', request_id: request });
    expect(of('tool.denied')?.trace_id).toMatch(/^[0-9a-f]{32}$/);
    expect(of('api_key_created')).toMatchObject({
      result: 'created',
      target: { id: key.id },
      who: 'actor_test',
    });
    expect(of('api_key_ended')).toMatchObject({ result: 'revoked', target: { id: key.id } });
    expect(of('permission_rule_created')).toMatchObject({ result: 'created', rule: rule.id });
    expect(of('permission_rule_revoked')).toMatchObject({ result: 'revoked', rule: rule.id });
    expect(of('hold_created')).toMatchObject({ result: 'created', target: { id: hold.id } });
    expect(of('hold_released')).toMatchObject({ result: 'released' });
    expect(of('erasure_requested')).toMatchObject({ result: 'begun', rule: 'a law' });
    expect(of('erasure_completed')).toMatchObject({ result: 'completed' });
    expect(of('call_refused')).toMatchObject({ who: 'clerk', result: 'refused', rule: 'scope.missing' });
    const text = JSON.stringify(lines);
    for (const hidden of [SECRET, key.key, 'May I run', '/tmp/x']) expect(text).not.toContain(hidden);
    expect(lines.map(({ id }) => id)).toEqual(lines.map(({ id }) => id).sort());
  });

  it('shows nobody the decisions of other tenants and workspaces, and those of the gateway to its operator', async () => {
    await decide();
    const ofWorkspace = (lines: AuditLine[]) =>
      lines.filter(({ workspace_id }) => workspace_id === 'workspace_default');
    expect(ofWorkspace(await all(as('siem'))).length).toBeGreaterThan(5);
    expect(ofWorkspace(await all(as('elsewhere')))).toEqual([]);
    expect(await all(as('stranger'))).toEqual([]);
    expect((await as('clerk').call('GET', '/v1/audit')).status).toBe(403);
    await as('operator').post('/v1/admin/signing-keys');
    const kinds = async (actor: string) => (await all(as(actor))).map(({ kind }) => kind);
    expect(await kinds('operator')).toContain('vendor.harn_gateway.signing_key_changed');
    expect(await kinds('siem')).not.toContain('vendor.harn_gateway.signing_key_changed');
    const { publicKey } = generateKeyPairSync('x25519');
    const recipient = { jwk: publicKey.export({ format: 'jwk' }) };
    const backup = await askForBackup(as('operator'), { include: ['keys'], recipient });
    await backup.arrayBuffer();
    const made = (await all(as('operator'))).filter(({ kind }) => kind.endsWith('.backup_begun'));
    expect(made).toMatchObject([
      { who: 'operator', what: 'a backup of everything, with keys', result: 'begun' },
    ]);
    expect(await kinds('siem')).not.toContain('vendor.harn_gateway.backup_begun');
  });

  it('begins at a time, goes on behind a line, and is the same as a stream of lines', async () => {
    await decide();
    nowMs += 3_600_000;
    const since = new Date(nowMs).toISOString();
    await client.post('/v1/holds', {
      name: 'later',
      session_ids: [(await client.session()).id],
      reason: 'r',
    });
    const siem = as('siem');
    const later = await all(siem, `&since=${since}`);
    expect(later.map(({ what }) => what)).toEqual(['the hold "later" on 1 sessions']);
    const lines = await all(siem);
    expect(lines.at(-1)).toEqual(later[0]);
    expect(await all(siem, `&since=${new Date(0).toISOString()}`)).toEqual(lines);
    expect(await all(siem, `&since=${new Date(nowMs + 1).toISOString()}`)).toEqual([]);
    const rest = await siem.get<Page>(`/v1/audit?after=${lines[1]?.id}`);
    expect(rest.data).toEqual(lines.slice(2));
    // The cursor of a page without lines goes on where it ended.
    const { next_cursor } = await siem.get<Page>(`/v1/audit?after=${lines.at(-1)?.id}`);
    await client.post('/v1/holds', { name: 'new', session_ids: [(await client.session()).id], reason: 'r' });
    expect((await siem.get<Page>(`/v1/audit?after=${next_cursor}`)).data).toHaveLength(1);
    // Who pages here as everywhere else gets on, too.
    expect((await siem.get<Page>(`/v1/audit?cursor=${next_cursor}`)).data).toHaveLength(1);
    const streamed = await fetch(`${siem.url}/v1/audit`, {
      headers: {
        accept: 'application/x-ndjson',
        authorization: `Bearer ${siem.key}`,
        'harn-agents-protocol-version': siem.version,
      },
    });
    expect(streamed.headers.get('content-type')).toContain('application/x-ndjson');
    const parsed = (await streamed.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
    expect(parsed.slice(0, -1)).toEqual(lines);
  });

  it('names what is wrong with a request', async () => {
    const refused = async (query: string) => {
      const answer = await client.call('GET', `/v1/audit?${query}`);
      return [answer.status, (answer.body['error'] as { param: string }).param];
    };
    expect(await refused('since=soon')).toEqual([400, 'since']);
    expect(await refused('after=x')).toEqual([400, 'after']);
    expect(await refused('cursor=x')).toEqual([400, 'cursor']);
    expect(await refused('after=00000000000099999999')).toEqual([410, 'after']);
    expect(await refused('limit=1001')).toEqual([400, 'limit']);
  });
});

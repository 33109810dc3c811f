import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/mcp-sdk-stage.ts';
import { mcpServers } from '../harness/mcp-servers.ts';

const ASKS = 'trigger-elicitation-request';
const SLOW = 'trigger-long-running-operation';

describe('a server over standard streams that is configured by its command alone', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    const row = (id: string) => ({ id, command: mcpServers.everything() });
    const mcp = [...['first', 'together', 'left'].map(row), { ...row('mute'), interactive: false }];
    gateway = await startTestGateway({ config: { upstreams: { a2a: [], mcp } } });
    await until(async () => {
      const listed = await skills();
      return mcp.every(({ id }) => listed.includes(`${id}__echo`));
    });
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
  });

  const skills = async () =>
    (await gateway.client.get<{ data: { id: string }[] }>('/v1/skills?limit=200')).data.map(({ id }) => id);

  async function submit(tool: string, input: object = {}): Promise<Task> {
    const { id } = await gateway.client.session();
    const body = { input, metadata: { route: `skill:${tool}` } };
    return gateway.client.post<Task>(`/v1/sessions/${id}/tasks`, body);
  }

  async function question({ id }: Task): Promise<PermissionRequest> {
    await gateway.client.until(id, 'INPUT_REQUIRED');
    const path = `/v1/permission-requests?status=pending&task_id=${id}`;
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(path);
    expect(data).toHaveLength(1);
    return data[0] as PermissionRequest;
  }

  async function answer(task: Task, name: string): Promise<string> {
    const asked = await question(task);
    expect(asked.request).toMatchObject({ kind: 'elicitation', requested_schema: { type: 'object' } });
    const given = { name, email: `${name}@example.com`, check: true };
    const body = { approved: true, answer: given };
    await gateway.client.post(`/v1/permission-requests/${asked.id}/respond`, body);
    return said(await gateway.client.until(task.id, 'COMPLETED'));
  }

  async function said({ session_id }: Task): Promise<string> {
    return JSON.stringify(await gateway.client.get(`/v1/sessions/${session_id}/messages`));
  }

  it('asks its first question in the queue of approvals, and goes on with the answer', async () => {
    expect(await answer(await submit(`first__${ASKS}`), 'ada')).toContain('ada@example.com');
  });

  it('asks in two Sessions at once then, and each gets its own answer', async () => {
    const [one, other] = [await submit(`first__${ASKS}`), await submit(`first__${ASKS}`)];
    await question(one);
    await question(other);
    const answers = [await answer(other, 'grace'), await answer(one, 'ada')];
    expect(answers[0]).toContain('grace@example.com');
    expect(answers[0]).not.toContain('ada@example.com');
    expect(answers[1]).toContain('ada@example.com');
  });

  it('asks nobody while it cannot be known whose call the first question is of, and asks the next time', async () => {
    const slow = await submit(`together__${SLOW}`, { duration: 30, steps: 30 });
    await gateway.client.until(slow.id, 'WORKING');
    const failed = await gateway.client.until((await submit(`together__${ASKS}`)).id, 'FAILED');
    expect(JSON.stringify(failed.failure)).toContain('it is not known who is asked');
    expect(await answer(await submit(`together__${ASKS}`), 'ada')).toContain('ada@example.com');
    await gateway.client.post(`/v1/tasks/${slow.id}/cancel`, {});
    await gateway.client.until(slow.id, 'CANCELED');
  });

  it('asks nobody either after a call was given up there, which the question may be of', async () => {
    const given = await submit(`left__${SLOW}`, { duration: 30, steps: 30 });
    await gateway.client.until(given.id, 'WORKING');
    await gateway.client.post(`/v1/tasks/${given.id}/cancel`, {});
    await gateway.client.until(given.id, 'CANCELED');
    const failed = await gateway.client.until((await submit(`left__${ASKS}`)).id, 'FAILED');
    expect(JSON.stringify(failed.failure)).toContain('it is not known who is asked');
  });

  it('learns that it may not ask where the operator says so', async () => {
    expect(await skills()).toContain(`first__${ASKS}`);
    expect(await skills()).not.toContain(`mute__${ASKS}`);
  });
});

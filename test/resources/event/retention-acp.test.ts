import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AcpClient } from '../../harness/acp-client.ts';
import { RetentionStage } from './retention-stage.ts';

describe('an ACP editor after retention removed the beginning of its session', () => {
  let stage: RetentionStage;
  let sessionId: string;
  let cursor: string;
  const open: AcpClient[] = [];

  async function editor(): Promise<AcpClient> {
    const client = await AcpClient.overSocket(stage.gateway.url, stage.client.key);
    open.push(client);
    return client;
  }
  beforeEach(async () => {
    stage = await new RetentionStage().open();
    sessionId = (await stage.client.session()).id;
    await stage.run('one', sessionId);
    await stage.run('two', sessionId);
    cursor = (await stage.client.events(`/v1/sessions/${sessionId}/events`))[1]?.id ?? '';
    await stage.run('three', sessionId);
    await stage.sweepAfter(400);
  });
  afterEach(async () => {
    for (const client of open.splice(0)) client.close();
    await stage.end();
  });

  const resume = async (client: AcpClient, afterEventId: string) =>
    client.agent.request('session/resume', {
      sessionId,
      cwd: '/',
      mcpServers: [],
      _meta: { harn: { afterEventId } },
    });

  it('[ACP-SESS-07] that resumes from what is gone is told so, and gets the rest', async () => {
    const client = await editor();
    await resume(client, cursor);
    expect(client.kinds()[0]).toBe('agent_thought_chunk');
    expect(client.text('agent_thought_chunk')).toContain('are not kept any more');
    expect(client.text('user_message_chunk')).toBe('three');
    expect(client.text()).toContain('You said: three');
    await stage.run('four', sessionId);
    await client.until(() => client.text().includes('You said: four'));
  });

  it('that loads it is told so, too', async () => {
    const client = await editor();
    await client.agent.request('session/load', { sessionId, cwd: '/', mcpServers: [] });
    expect(client.text('agent_thought_chunk')).toContain('are not kept any more');
    expect(client.text('user_message_chunk')).toBe('three');
  });

  it('is refused a cursor that never was, and one that is whole is told nothing of it', async () => {
    const client = await editor();
    await expect(resume(client, '00000000009999999999')).rejects.toMatchObject({
      data: { harn: { code: 'cursor_expired' } },
    });
    const kept = await stage.client.events(`/v1/sessions/${sessionId}/events`);
    await resume(client, kept[1]?.id ?? '');
    expect(client.text('agent_thought_chunk')).toBe('');
  });
});

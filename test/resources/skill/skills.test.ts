import { describe, expect, it } from 'vitest';
import { skillId } from '#resources/skill/skills.ts';
import { stageOf } from '../../conformance/stage.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';

interface Skill {
  id: string;
  source: string;
  metadata: { agent_skill_id: string };
  [member: string]: unknown;
}

describe('skills', () => {
  const stage = stageOf({ agents: { second: startSampleAgent } });

  async function discovered(): Promise<Skill[]> {
    for (;;) {
      const { data } = await stage.client.get<{ data: Skill[] }>('/v1/skills');
      if (new Set(data.map(({ source }) => source)).size === 2) return data;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  it('[EXT-SKL-01] are those that the agents describe, with ids of agent and skill', async () => {
    const skills = await discovered();
    for (const skill of skills) {
      const agent = skill.source.replace('a2a:', '');
      expect(skill).toMatchObject({ object: 'skill', id: `${agent}__${skill.metadata.agent_skill_id}` });
      expect(skill).toMatchObject({ name: expect.any(String), description: expect.any(String) });
      for (const schema of [skill.input_schema, skill.output_schema])
        expect(schema === null || typeof schema === 'object').toBe(true);
      expect(await stage.client.get(`/v1/skills/${skill.id}`)).toEqual(skill);
    }
    expect((await stage.client.call('GET', '/v1/skills/sample__none')).status).toBe(404);
  });

  it('are listed page by page', async () => {
    const all = await discovered();
    const seen: string[] = [];
    let cursor = '';
    do {
      const { data, page } = await stage.client.get<{ data: Skill[]; page: { next_cursor: string | null } }>(
        `/v1/skills?limit=1${cursor}`,
      );
      seen.push(...data.map(({ id }) => id));
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  it('may be named by sessions when they are known', async () => {
    const [skill] = await discovered();
    const body = { workspace_id: 'workspace_default', skill_ids: [skill?.id] };
    const { id } = await stage.client.post<{ id: string }>('/v1/sessions', body);
    const [created] = await stage.client.events(`/v1/sessions/${id}/events`);
    expect(created?.payload['skill_ids']).toEqual([skill?.id]);
    const answer = await stage.client.call('POST', '/v1/sessions', {
      body: { ...body, skill_ids: ['sample__none'] },
    });
    expect(answer.body).toMatchObject({ error: { code: 'resource_not_found', param: 'skill_ids[0]' } });
  });

  it('get ids that fit a path even when the agent chose others', () => {
    expect(skillId('a2a:shop', 'find/goods')).toMatch(/^shop__find-goods-[0-9a-f]{8}$/);
    expect(skillId('a2a:shop', 'find goods')).not.toBe(skillId('a2a:shop', 'find/goods'));
  });
});

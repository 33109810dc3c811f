import { beforeAll, describe, expect, it } from 'vitest';
import { userText } from '../harness/client.ts';
import { stageOf } from './stage.ts';

interface Page {
  object: string;
  data: { id: string }[];
  page: { has_more: boolean; next_cursor: string | null };
  has_more: boolean;
  next_cursor: string | null;
}

const COUNT = 7;

describe('lists', () => {
  const stage = stageOf();
  const made: Record<string, string[]> = {};
  let session = '';
  beforeAll(async () => {
    session = (await stage.client.session()).id;
    for (let n = 0; n < COUNT; n += 1) {
      const task = await stage.client.submit(`message number ${n}`, session);
      await stage.client.until(task.id, 'COMPLETED');
    }
    for (let n = 0; n < COUNT; n += 1) await stage.client.session();
  });

  const walk = async (
    path: string,
    limit: number,
    between: () => Promise<unknown> = async () => undefined,
  ) => {
    const pages: Page[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ limit: String(limit), ...(cursor === null ? {} : { cursor }) });
      const page: Page = await stage.client.get<Page>(`${path}${path.includes('?') ? '&' : '?'}${query}`);
      pages.push(page);
      cursor = page.page.next_cursor;
      await between();
    } while (cursor !== null);
    return pages;
  };
  const ids = (pages: Page[]) => pages.flatMap(({ data }) => data.map(({ id }) => id));

  it.each([
    '/v1/sessions',
    '/v1/tasks',
    '/v1/sessions/{s}/tasks',
    '/v1/sessions/{s}/messages',
    '/v1/artifacts',
    '/v1/outcomes',
    '/v1/workspaces',
    '/v1/artifacts?session_id={s}',
    '/v1/tasks?session_id={s}',
  ])('[C6] %s has page and copies, and pages to the end without loss or repetition', async (template) => {
    const path = template.replace('{s}', session);
    const whole = await stage.client.get<Page>(`${path}${path.includes('?') ? '&' : '?'}limit=200`);
    const pages = await walk(path, 3);
    for (const { object, data, page, has_more, next_cursor } of pages) {
      expect({ object, has_more, next_cursor }).toEqual({ object: 'list', ...page });
      expect(page.has_more).toBe(page.next_cursor !== null);
      expect(data.length).toBeLessThanOrEqual(3);
    }
    expect(ids(pages)).toEqual(whole.data.map(({ id }) => id));
    expect(new Set(ids(pages)).size).toBe(ids(pages).length);
    made[template] = ids(pages);
  });

  it('[C6] the default limit is 50', async () => {
    const body = { role: 'user', parts: userText('x').parts };
    const full = await stage.client.post<{ id: string }>('/v1/sessions', {
      workspace_id: 'workspace_default',
      initial_messages: Array.from({ length: 51 }, () => body),
    });
    const page = await stage.client.get<Page>(`/v1/sessions/${full.id}/messages`);
    expect(page.data.length).toBe(50);
    expect(page.has_more).toBe(true);
  });

  it('[C6] what is made meanwhile shifts no page', async () => {
    const before = (await stage.client.get<Page>('/v1/sessions?limit=200')).data.map(({ id }) => id);
    const pages = await walk('/v1/sessions', 2, () => stage.client.session());
    expect(ids(pages)).toEqual(before);
  });

  it('[CORE-ID-01] [S6-03] all ids are of their object, and no two are equal', () => {
    const all = [...new Set(Object.values(made).flat())].filter((id) => id !== 'workspace_default');
    expect(all.length).toBeGreaterThan(COUNT * 4);
    for (const id of all)
      expect(id).toMatch(/^(session|task|message|artifact|outcome)_[0-9A-HJKMNP-TV-Z]{26}$/);
  });
});

import { describe, expect, it } from 'vitest';
import { userText } from '../harness/client.ts';
import { stageOf } from './stage.ts';

/** Seven of them are more than one page holds. */
const SIZE = 300_000;
const MOST = 2 * 1024 * 1024;

interface Page {
  data: { id: string }[];
  has_more: boolean;
  next_cursor: string | null;
  page: { has_more: boolean; next_cursor: string | null };
}

describe('pages of large items', () => {
  const stage = stageOf({ config: { limits: { inline_payload_bytes: 2_000_000 } } });
  /** All pages of a path, each checked to be one that a client can take. */
  const walk = async (path: string, limit = 200) => {
    const found: string[] = [];
    const pages: number[] = [];
    for (let cursor = ''; ; ) {
      const { body, text, status } = await stage.client.call<Page>('GET', `${path}limit=${limit}${cursor}`);
      expect(status).toBe(200);
      expect(text.length).toBeLessThan(MOST + 100_000);
      found.push(...body.data.map(({ id }) => id));
      pages.push(body.data.length);
      expect(body.page).toEqual({ has_more: body.has_more, next_cursor: body.next_cursor });
      if (!body.has_more) return { found, pages };
      cursor = `&cursor=${body.next_cursor}`;
    }
  };

  it('[C6] [C27] a list ends a page early and goes on at its cursor, without gap or duplicate', async () => {
    const made: string[] = [];
    for (let at = 0; at < 8; at += 1) made.push((await stage.client.session({ note: 'x'.repeat(SIZE) })).id);
    const { found, pages } = await walk('/v1/sessions?');
    expect(found).toEqual(made.toReversed());
    expect(pages).toEqual([6, 2]);
    expect((await walk('/v1/sessions?', 6)).pages).toEqual([6, 2]);
    expect((await walk('/v1/sessions?', 3)).pages).toEqual([3, 3, 2]);
  });

  it('[C7] [C27] so do messages and event ranges, with and without a filter', async () => {
    const { id } = await stage.client.session();
    const made: string[] = [];
    for (let at = 0; at < 8; at += 1) {
      const message = userText('y'.repeat(SIZE));
      const { id: messageId } = await stage.client.post<{ id: string }>(`/v1/sessions/${id}/messages`, {
        message,
      });
      made.push(messageId);
    }
    const messages = await walk(`/v1/sessions/${id}/messages?`);
    expect(messages.found).toEqual(made);
    expect(messages.pages).toEqual([6, 2]);
    const events = await walk(`/v1/sessions/${id}/events?`);
    expect(events.pages.length).toBe(2);
    expect(new Set(events.found).size).toBe(events.found.length);
    expect(events.found.length).toBeGreaterThanOrEqual(16);
    const filtered = await walk(`/v1/events?session_id=${id}&`);
    expect(filtered.found).toEqual(events.found);
  });
});

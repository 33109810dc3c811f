/** A session of 10,000 events: what the page holds and asks for does not grow with them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CALM, eventually, open, openStage, said, WAIT } from './stage.mjs';

const stage = await openStage();
const { call, enter, eventsOf, newPage, submit, until } = stage;
/** What a screen of 800 px shows of the list, with what is kept ready above and below. */
const MOST_ROWS = 60;

/** Opens a session on its timeline, and counts what it asked the gateway for until all is there. */
async function look(t, session, count) {
  const { page, seen } = await newPage(t);
  await enter(page);
  await open(page, '/sessions');
  await page.getByRole('row').first().waitFor(WAIT);
  await page.waitForTimeout(1_500);
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await open(page, `/sessions/${session}`);
  await page.getByRole('tab', { name: /^Timeline/ }).click();
  const rows = page.getByRole('region', { name: 'Timeline' });
  await eventually(
    async () => Number(await rows.getAttribute('data-count')),
    (shown) => shown === count,
    60_000,
  );
  await page.waitForTimeout(1_500);
  const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);
  return { page, rows, seen, asked: asked.length, nodes };
}

test('10,000 events: the page stays as large as for a few, finds any of them, and is live', async (t) => {
  const small = await submit('stream 60');
  await until(small.id, 'COMPLETED');
  const few = await look(t, small.session_id, (await eventsOf(small.session_id)).length);

  // The sample agent takes the longer for a piece the more it has said.
  const { id: session } = await call('POST', '/v1/sessions', { workspace_id: 'workspace_default' });
  const stream = () => call('POST', `/v1/sessions/${session}/tasks`, { input: said('stream 500') });
  const tasks = await Promise.all(Array.from({ length: 20 }, stream));
  for (const { id } of tasks)
    await eventually(
      () => call('GET', `/v1/tasks/${id}`),
      ({ status }) => status === 'COMPLETED',
      90_000,
    );
  const events = await eventsOf(session);
  assert.ok(events.length >= 10_000);
  t.diagnostic(`${events.length} events`);
  const many = await look(t, session, events.length);
  const { page, rows } = many;
  const drawn = () => rows.locator('.row').count();
  assert.ok((await drawn()) > 5 && (await drawn()) <= MOST_ROWS, `${await drawn()} rows`);
  // One more for the receipt of each task, and none for events: they alone would be 50 pages.
  assert.ok(many.asked <= few.asked + tasks.length + 12, `${many.asked} requests, and ${few.asked} for few`);
  assert.ok(Math.abs((await many.nodes()) - (await few.nodes())) < 400, `${await many.nodes()} nodes`);
  // It begins at the newest; the oldest is a scroll away, and so is each between.
  await rows.locator(`[data-index="${events.length - 1}"]`).waitFor(WAIT);
  await rows.evaluate((box) => box.scrollTo(0, 0));
  await rows.locator('[data-index="0"]').waitFor(WAIT);
  assert.match(await rows.locator('[data-index="0"]').textContent(), new RegExp(events[0].event));
  await rows.evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
  await eventually(
    async () => Number(await rows.locator('.row').first().getAttribute('data-index')),
    (at) => at > events.length / 4 && at < (events.length * 3) / 4,
  );
  assert.ok((await drawn()) <= MOST_ROWS);
  await page.screenshot({ path: join(stage.shots, 'timeline-10000.png') });
  // Who reads older ones stays there while it goes on.
  const place = await rows.evaluate((box) => box.scrollTop);
  const next = await call('POST', `/v1/sessions/${session}/tasks`, { input: said('hello') });
  await until(next.id, 'COMPLETED');
  await eventually(
    async () => Number(await rows.getAttribute('data-count')),
    (count) => count > events.length,
  );
  assert.ok(Math.abs((await rows.evaluate((box) => box.scrollTop)) - place) < 200);
  await page.getByLabel('Search events').fill('task.completed');
  await eventually(
    async () => Number(await rows.getAttribute('data-count')),
    (count) => count === events.filter(({ event }) => event === 'task.completed').length + 1,
  );
  await page.getByRole('tab', { name: 'Conversation' }).click();
  const talk = page.getByRole('region', { name: 'Conversation' });
  await talk.locator('.row').first().waitFor(WAIT);
  assert.ok((await talk.locator('.row').count()) <= MOST_ROWS);
  assert.deepEqual(many.seen, CALM);
});

/** What happens between a page and its gateway: many tabs, cuts, restarts, a slow network, and one that lets no WebSocket through. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALM, eventually, open, openStage, said, WAIT } from './stage.mjs';

/** A browser has six connections over HTTP to one gateway, for all its tabs. */
const TABS = 8;

const stage = await openStage();
const { call, enter, eventsOf, signedIn, submit, until } = stage;

const timeline = async (page) => {
  await page.getByRole('tab', { name: /^Timeline/ }).click();
  return page.getByRole('region', { name: 'Timeline' });
};
/** Waits until the page has as many events as the log; each of them once. */
async function same(page, session) {
  const rows = page.getByRole('region', { name: 'Timeline' });
  const wanted = async () => (await eventsOf(session)).length;
  await eventually(
    async () => [Number(await rows.getAttribute('data-count')), await wanted()],
    ([shown, logged]) => shown === logged,
  );
  // What comes late would be one too many.
  await page.waitForTimeout(700);
  assert.equal(Number(await rows.getAttribute('data-count')), await wanted());
}

test('as many tabs as one likes stay live, each over one socket, and can still call', async (t) => {
  const session = await call('POST', '/v1/sessions', { workspace_id: 'workspace_default' });
  const { context, page: first } = await signedIn(t);
  const tabs = [{ page: first, sockets: [] }];
  while (tabs.length < TABS) {
    const page = await context.newPage();
    const sockets = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    await enter(page);
    tabs.push({ page, sockets });
  }
  for (const { page } of tabs) await open(page, `/sessions/${session.id}`);
  const last = tabs.at(-1).page;
  await last.getByLabel('Message').fill('stream 3');
  await last.getByRole('button', { name: 'Send' }).click();
  for (const { page } of tabs) await page.getByText('chunk 3 of 3').first().waitFor(WAIT);
  for (const { sockets } of tabs.slice(1)) assert.equal(sockets.length, 1);
});

test('a gateway that is killed under a page, and started again, loses and doubles nothing', async (t) => {
  const before = await submit('stream 2');
  await until(before.id, 'COMPLETED');
  const session = before.session_id;
  const { page, seen } = await signedIn(t);
  await open(page, `/sessions/${session}`);
  await timeline(page);
  await same(page, session);
  const running = await call('POST', `/v1/sessions/${session}/tasks`, { input: said('stream 200 50') });
  await until(running.id, 'WORKING');
  await page.getByText('artifact.updated').first().waitFor(WAIT);
  await stage.stop('SIGKILL');
  await page.getByText('The gateway does not answer').waitFor(WAIT);
  // A page that was opened meanwhile says so, and reads what it could not as soon as it can.
  await open(page, '/agents');
  await page.getByText('The gateway cannot be reached').first().waitFor(WAIT);
  await stage.start();
  await page.getByText('a2a:sample').first().waitFor(WAIT);
  await page.getByText('Live', { exact: true }).waitFor(WAIT);
  // Each part of the page reads again by itself, one after the other.
  await eventually(
    () => page.getByRole('alert').count(),
    (count) => count === 0,
  );
  await open(page, `/sessions/${session}`);
  await timeline(page);
  await same(page, session);
  assert.deepEqual(seen, CALM);
});

test('a page that stays open over a kill goes on after the last event that it has', async (t) => {
  const first = await submit('stream 2');
  await until(first.id, 'COMPLETED');
  const session = first.session_id;
  const { page } = await signedIn(t);
  const asked = [];
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const frame = JSON.parse(payload);
      if (frame.stream === 'session') asked.push(frame.cursor);
    }),
  );
  await page.reload();
  await page.locator('input[type=password]').fill(stage.key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await open(page, `/sessions/${session}`);
  await timeline(page);
  await same(page, session);
  const { id: last } = (await eventsOf(session)).at(-1);
  await stage.stop('SIGKILL');
  await stage.start();
  const next = await call('POST', `/v1/sessions/${session}/tasks`, { input: said('stream 2') });
  await until(next.id, 'COMPLETED');
  await same(page, session);
  assert.deepEqual(asked, [undefined, last]);
});

test('a page that was offline has what it missed', async (t) => {
  const first = await submit('stream 2');
  await until(first.id, 'COMPLETED');
  const session = first.session_id;
  const { context, page } = await signedIn(t);
  await open(page, `/sessions/${session}`);
  await timeline(page);
  await same(page, session);
  await context.setOffline(true);
  const next = await call('POST', `/v1/sessions/${session}/tasks`, { input: said('stream 2') });
  await until(next.id, 'COMPLETED');
  await page.waitForTimeout(1_500);
  await context.setOffline(false);
  await same(page, session);
  await page.getByText('Live', { exact: true }).waitFor(WAIT);
  await eventually(
    () => page.getByRole('alert').count(),
    (count) => count === 0,
  );
  await page.getByRole('tab', { name: 'Tasks (2)' }).waitFor(WAIT);
});

test('where no WebSocket comes through, a page follows over HTTP', async (t) => {
  const { context, page } = await stage.newPage(t);
  await context.addInitScript(() => {
    window.WebSocket = class {
      static OPEN = 1;
      readyState = 3;
      constructor() {
        setTimeout(() => this.onclose?.({ code: 1006 }));
      }
      close() {}
    };
  });
  await enter(page);
  const task = await submit('stream 2');
  await open(page, `/sessions/${task.session_id}`);
  await page.getByText('chunk 2 of 2').first().waitFor(WAIT);
  await timeline(page);
  const next = await call('POST', `/v1/sessions/${task.session_id}/tasks`, { input: said('stream 2') });
  await until(next.id, 'COMPLETED');
  await same(page, task.session_id);
});

test('on a slow network nothing is done twice, and what is under way is shown', async (t) => {
  const { context, page, seen } = await stage.newPage(t);
  const wire = await context.newCDPSession(page);
  await wire.send('Network.enable');
  await wire.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 60_000,
    uploadThroughput: 20_000,
  });
  await enter(page);
  const sessions = async () => (await call('GET', '/v1/sessions?limit=200')).data.length;
  const before = await sessions();
  await open(page, '/sessions');
  const begin = page.getByRole('button', { name: 'New session' });
  await page.getByRole('row').first().waitFor(WAIT);
  await begin.dblclick();
  await page.getByLabel('Message').waitFor(WAIT);
  assert.equal(await sessions(), before + 1);
  await page.getByLabel('Message').fill('login');
  await page.getByRole('button', { name: 'Send' }).dblclick();
  const approve = page.getByRole('button', { name: 'Approve' });
  await approve.waitFor(WAIT);
  await approve.dblclick();
  await approve.waitFor({ state: 'detached', ...WAIT });
  const session = new URL(page.url()).hash.split('/').at(-1);
  await eventually(
    async () => (await call('GET', `/v1/sessions/${session}/tasks`)).data.map(({ status }) => status),
    (states) => states.length === 1 && states[0] === 'COMPLETED',
  );
  await page.getByText('Signed in and done').first().waitFor(WAIT);
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.deepEqual(seen, CALM);
});

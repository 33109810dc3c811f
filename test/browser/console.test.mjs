/** The console in Chromium, before a gateway process with its sample agent. `npm run test:browser` installs what it needs here. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { open, openStage, said, WAIT } from './stage.mjs';

const MOST_BYTES = 250 * 1024;

const stage = await openStage();
const { browser, call, key, shots, signedIn, submit, until } = stage;

test('a wrong key is told, a right one signs in, and the bundle is small', async (t) => {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  const sizes = [];
  page.on('response', async (response) => {
    if (!response.url().includes('/console/')) return;
    sizes.push(
      response
        .request()
        .sizes()
        .then(
          ({ responseBodySize }) => responseBodySize,
          () => 0,
        ),
    );
  });
  const began = performance.now();
  await page.goto(`${stage.url}/`);
  await page.locator('input[type=password]').waitFor(WAIT);
  const interactiveMs = Math.round(performance.now() - began);
  await page.screenshot({ path: join(shots, 'sign-in.png') });
  await page.locator('input[type=password]').fill('harn_nobody');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').waitFor(WAIT);
  await page.locator('input[type=password]').fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor(WAIT);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  console.log(`console: ${bytes} bytes over the wire, interactive after ${interactiveMs} ms`);
  assert.ok(bytes > 10_000 && bytes <= MOST_BYTES, `${bytes} bytes`);
  assert.equal(
    await page.evaluate(() => JSON.stringify(localStorage)).then((kept) => kept.includes('harn_')),
    false,
  );
});

test('the link of the first steps signs in once', async (t) => {
  const [link] = /http\S+\/console\/#code=[\w-]+/.exec(stage.gateway.said()) ?? [];
  if (link === undefined) return t.skip('the first steps print no link');
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Overview' }).or(page.getByRole('alert')).waitFor(WAIT);
  const again = await context.newPage();
  await again.goto(link);
  await again.getByRole('alert').waitFor(WAIT);
});

test('a message becomes a task, whose answer comes as it is said', async (t) => {
  const { page, faults } = await signedIn(t);
  await open(page, '/sessions');
  await page.getByRole('button', { name: 'New session' }).click();
  await page.getByLabel('Message').fill('stream 3');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('chunk 3 of 3').first().waitFor(WAIT);
  await page.screenshot({ path: join(shots, 'session.png'), fullPage: true });
  await page.getByRole('tab', { name: /^Timeline/ }).click();
  await page.getByText('task.completed').first().waitFor(WAIT);
  await page.screenshot({ path: join(shots, 'timeline.png'), fullPage: true });
  assert.deepEqual(faults, []);
});

test('two browsers see a question; one answers, and it goes away in the other', async (t) => {
  const [one, other] = [await signedIn(t), await signedIn(t)];
  for (const { page } of [one, other]) await open(page, '/approvals');
  const task = await submit('login');
  await until(task.id, 'AUTH_REQUIRED');
  const approve = (page) => page.getByRole('button', { name: /^(approve|allow)/i });
  for (const { page } of [one, other]) await approve(page).first().waitFor(WAIT);
  await one.page.screenshot({ path: join(shots, 'approvals-waiting.png') });
  await approve(one.page).first().click();
  for (const { page } of [one, other])
    await approve(page)
      .first()
      .waitFor({ state: 'detached', ...WAIT });
  await until(task.id, 'COMPLETED', 'WORKING', 'FAILED');
});

test('a chain is verified in the page; with one byte flipped in the answer it is red', async (t) => {
  const task = await submit('hello');
  await until(task.id, 'COMPLETED');
  const { page } = await signedIn(t);
  await open(page, `/receipts/${task.session_id}`);
  await page.getByText('verified here').first().waitFor(WAIT);
  await page.screenshot({ path: join(shots, 'receipts-verified.png') });
  await page.route('**/v1/tasks/*/receipts*', async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const flipped = text.replace(
      /("receipt_hash":\s*"(?:sha256:)?)([0-9a-f])/,
      (_, head, digit) => head + (digit === '0' ? '1' : '0'),
    );
    assert.notEqual(flipped, text);
    await route.fulfill({ response, body: flipped });
  });
  await open(page, '/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor(WAIT);
  await open(page, `/receipts/${task.session_id}`);
  await page
    .getByText(/tampered/)
    .first()
    .waitFor(WAIT);
  assert.match(await page.getByRole('alert').first().textContent(), /expected .*observed/s);
  await page.screenshot({ path: join(shots, 'receipts-tampered.png') });
});

test('a key that is revoked ends the session of the page', async (t) => {
  const made = await call('POST', '/v1/admin/api-keys', {
    name: 'browser',
    actor: 'browser',
    scopes: ['*'],
    workspaces: ['workspace_default'],
  });
  const { page } = await signedIn(t, made.key);
  await call('POST', `/v1/admin/api-keys/${made.id}/revoke`);
  await open(page, '/sessions');
  await page.getByText('no longer valid').waitFor(WAIT);
});

test('what strangers say is text', async (t) => {
  const hostile =
    '<img src=x onerror="window.hit=1"><script>window.hit=1</script>[a](javascript:window.hit=1)';
  const task = await submit(hostile);
  await until(task.id, 'COMPLETED');
  await call('POST', '/v1/personas', {
    name: hostile,
    version: '1',
    entry_workflow: 'a2a:sample',
    description: hostile,
    autonomy_tier: 'act_auto',
    receipt_policy: 'optional',
  });
  const { page } = await signedIn(t);
  for (const path of [`/sessions/${task.session_id}`, '/', '/sessions', '/agents', '/access']) {
    await open(page, path);
    await page.locator('main h1').first().waitFor(WAIT);
    if (path.includes('session_')) await page.getByText('<img src=x').first().waitFor(WAIT);
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => window.hit), undefined, path);
    assert.equal(await page.locator('img[src="x"], a[href^="javascript"]').count(), 0, path);
  }
});

test('a gateway that is started again under the page loses and doubles nothing', async (t) => {
  const task = await submit('stream 2');
  await until(task.id, 'COMPLETED');
  const { page } = await signedIn(t);
  await open(page, `/sessions/${task.session_id}`);
  await page.getByText('chunk 2 of 2').first().waitFor(WAIT);
  await stage.stop();
  await stage.start();
  const next = await call('POST', `/v1/sessions/${task.session_id}/tasks`, { input: said('said after it') });
  await until(next.id, 'COMPLETED');
  const { data: events } = await call('GET', `/v1/sessions/${task.session_id}/events?limit=200`);
  await page.getByRole('tab', { name: `Timeline (${events.length})` }).waitFor({ timeout: 40_000 });
});

// Every button that a key without the right to write is shown, pressed: none of them may be refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyRow, open, openStage, said, WAIT } from './stage.mjs';

const READER = 'harn_reader_who_presses_every_button';
const ROOMS = 'workspaces sessions tasks events permissions agents skills personas receipts quotas vaults';
const scopes = [...ROOMS.split(' '), 'dead_letters', 'artifacts', 'memories', 'bundles'].map(
  (room) => `${room}:read`,
);
const stage = await openStage({ auth: { api_keys: [keyRow('reader', READER, scopes)] } });
const { call, signedIn, submit, until } = stage;

/** What stands in a page itself; the frame around it is the same everywhere. */
const BUTTONS = 'main button:visible:enabled:not([role="tab"])';
const TABS = 'main [role="tab"]:visible';

/** Waits until a page asks for nothing more. */
async function settled(page, pending) {
  const quiet = 300;
  for (let last = Date.now(); Date.now() - last < quiet; ) {
    if (pending.size > 0) last = Date.now();
    await page.waitForTimeout(50);
  }
}

test('no button that a reader sees is refused, on any page and behind any tab', async (t) => {
  const ended = await submit('file');
  await until(ended.id, 'COMPLETED');
  const session = ended.session_id;
  const asking = await call('POST', `/v1/sessions/${session}/tasks`, { input: said('login') });
  await until(asking.id, 'AUTH_REQUIRED');
  await call('POST', `/v1/sessions/${session}/attach`, { client_id: 'somebody', mode: 'controller' });

  const { page } = await signedIn(t, READER);
  const refused = [];
  const pressed = [];
  const pending = new Set();
  let here = '';
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch') pending.add(request);
  });
  for (const event of ['requestfinished', 'requestfailed'])
    page.on(event, (request) => pending.delete(request));
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    const isRefused = response.status() === 401 || response.status() === 403;
    if (isRefused) refused.push(`${here}: ${response.request().method()} ${pathname}`);
  });

  const at = async (path, tab) => {
    await open(page, '/');
    await open(page, path);
    await page.locator('main h1').first().waitFor(WAIT);
    await settled(page, pending);
    if (tab === undefined) return;
    await page.locator(TABS).nth(tab).click();
    await settled(page, pending);
  };
  const paths = ['/', '/sessions', `/sessions/${session}`, '/approvals', '/receipts', `/receipts/${session}`];
  paths.push('/agents', `/replay/${ended.id}`, '/playground', '/access');
  for (const path of paths) {
    here = path;
    await at(path);
    const tabs = await page.locator(TABS).count();
    for (const tab of tabs === 0 ? [undefined] : Array.from({ length: tabs }, (_, n) => n)) {
      await at(path, tab);
      const count = await page.locator(BUTTONS).count();
      for (let n = 0; n < count; n += 1) {
        const button = page.locator(BUTTONS).nth(n);
        // What one press has opened or taken away is not there for the next one.
        if ((await page.locator(BUTTONS).count()) !== count) await at(path, tab);
        const label = (await button.getAttribute('aria-label')) ?? (await button.textContent());
        here = `${path} ${tab ?? ''} ${label.trim()}`;
        pressed.push(here);
        await button.click({ ...WAIT, force: true });
        await settled(page, pending);
        await page.keyboard.press('Escape');
        if (!page.url().endsWith(`#${path}`)) await at(path, tab);
      }
    }
  }
  assert.deepEqual(refused, []);
  // The playground only says that it is not for readers.
  const without = paths.filter((path) => !pressed.some((one) => one.startsWith(`${path} `)));
  assert.deepEqual(without, ['/playground']);
});

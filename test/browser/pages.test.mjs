/**
 * Every page and every tab, with something to show on each: WCAG AA by axe, light and dark, wide and on a phone, and a picture of
 * it. `readme-*.png` are the pictures of the README, which are kept in `src/surfaces/console/pictures`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { scriptedMcpServer } from '../../dist/test/harness/scripted-mcp-server.js';
import { eventually, keyRow, open, openStage, said, WAIT } from './stage.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const AGENT = join(import.meta.dirname, '../../dist/test/harness/peers/acp-agent.js');
const READER = 'harn_reader_of_every_page';
const scopes = ['sessions', 'tasks', 'events', 'permissions', 'workspaces'].map((room) => `${room}:read`);

const stage = await openStage({
  auth: { api_keys: [keyRow('reader', READER, scopes)] },
  upstreams: {
    acp: [{ id: 'coder', command: [process.execPath, AGENT] }],
    mcp: [{ id: 'tools', command: scriptedMcpServer(), tools: { approve: ['huge'] } }],
  },
  quotas: [
    {
      id: 'daily',
      scope: 'workspace',
      owner: 'workspace_default',
      limits: { concurrent_tasks: 20, tasks_per_hour: 1000 },
    },
  ],
  vaults: [{ id: 'local', provider: 'environment', prefix: 'LOCAL_' }],
});
const { call, shots, signedIn, submit, until } = stage;

/** Something for each page: what runs, waits, failed, was halted, changed, replayed and remembered. */
async function furnish() {
  const sample = { route: 'a2a:sample' };
  const streamed = await submit('stream 3', sample);
  await until(streamed.id, 'COMPLETED');
  const session = streamed.session_id;
  const next = async (text, metadata, ...states) => {
    const task = await call('POST', `/v1/sessions/${session}/tasks`, { input: said(text), metadata });
    return until(task.id, ...states);
  };
  await next('file', sample, 'COMPLETED');
  await next('fail', sample, 'FAILED');
  await call('POST', `/v1/tasks/${streamed.id}/replay`, { mode: 'exact' });
  await call('POST', `/v1/sessions/${session}/attach`, { client_id: 'editor', mode: 'controller' });
  const input = { role: 'user', parts: [{ type: 'json', value: {}, visibility: 'public' }] };
  const use = async (tool, ...states) => {
    const { id } = await call('POST', '/v1/sessions', { workspace_id: 'workspace_default' });
    const body = { input, metadata: { route: `skill:tools__${tool}` } };
    const task = await call('POST', `/v1/sessions/${id}/tasks`, body);
    return until(task.id, ...states);
  };
  const ids = () => call('GET', '/v1/skills?limit=200').then(({ data }) => data.map(({ id }) => id));
  await eventually(ids, (all) => all.includes('tools__change'));
  await use('change', 'COMPLETED');
  const answered = await use('huge', 'AUTH_REQUIRED');
  const [asked] = (await call('GET', `/v1/permission-requests?task_id=${answered.id}`)).data;
  await call('POST', `/v1/permission-requests/${asked.id}/respond`, { approved: false });
  await use('huge', 'AUTH_REQUIRED');
  const edited = await submit('rewrite', { route: 'acp:coder' });
  await until(edited.id, 'AUTH_REQUIRED');
  const login = await submit('login', sample);
  await until(login.id, 'AUTH_REQUIRED');
  await call('POST', '/v1/permissions/rules', {
    class: 'exec',
    action_pattern: 'run',
    target_pattern: '*',
    scope: 'workspace',
    scope_value: 'workspace_default',
    allow: false,
  });
  await call('POST', '/v1/personas', {
    name: 'reviewer',
    version: '1',
    entry_workflow: 'a2a:sample',
    description: 'Reviews what others write.',
    autonomy_tier: 'suggest',
    receipt_policy: 'optional',
  });
  const made = {
    name: 'nightly',
    actor: 'nightly',
    scopes: ['tasks:read'],
    workspaces: ['workspace_default'],
  };
  const { id: key } = await call('POST', '/v1/admin/api-keys', made);
  await call('POST', '/v1/admin/api-keys', { ...made, name: 'weekly' });
  await call('POST', `/v1/admin/api-keys/${key}/revoke`);
  await call('POST', '/v1/admin/halts', { route: 'mcp:tools', tool: 'die', reason: 'It has changed.' });
  return { session, task: streamed.id, edited: edited.session_id };
}
const at = await furnish();

const PATHS = {
  overview: '/',
  sessions: '/sessions',
  session: `/sessions/${at.session}`,
  edit: `/sessions/${at.edited}`,
  approvals: '/approvals',
  receipts: `/receipts/${at.session}`,
  replay: `/replay/${at.task}`,
  agents: '/agents',
  playground: '/playground',
  access: '/access',
};
/** What is opened on a page, so that it is looked at too. */
const OPENED = {
  replay: async (page) => {
    await page.getByRole('button', { name: 'Run it again' }).click();
    await page.getByRole('status', { name: 'Verdict' }).waitFor(WAIT);
  },
  agents: async (page) => {
    await page.getByRole('button', { name: 'Card of the agent' }).first().click();
    await page.getByRole('table', { name: 'Rewritten members' }).waitFor(WAIT);
    await page.getByRole('button', { name: 'Halt a2a:sample' }).click();
  },
  access: async (page) => {
    const form = page.getByRole('button', { name: /^(New|Change) / });
    while ((await form.count()) > 0) await form.first().click();
  },
};

/** Until the page asks for nothing more and shows nothing that is still loading. */
async function settled(page) {
  await page.waitForLoadState('networkidle');
  await page
    .getByLabel('Loading')
    .first()
    .waitFor({ state: 'detached', ...WAIT });
}

/** What axe finds, and how much wider than the screen the page is. */
async function faultsOf(page) {
  const found = await page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const { violations } = await window.axe.run(document, { runOnly: tags });
    return violations.map(
      ({ id, nodes }) =>
        `${id}, ${nodes.length} times: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`,
    );
  });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return wider > 0 ? [...found, `${wider} px wider than the screen`] : found;
}

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };

for (const [name, colorScheme, viewport] of [
  ['wide', 'light', WIDE],
  ['phone', 'dark', PHONE],
])
  test(`every page and tab keeps WCAG AA in ${colorScheme}, ${name}, and fits`, async (t) => {
    const { page, faults } = await signedIn(t, stage.key, { colorScheme, viewport, bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    const broken = [];
    for (const [label, path] of Object.entries(PATHS)) {
      await open(page, path);
      await page.locator('main h1').first().waitFor(WAIT);
      const tabs = page.locator('main [role=tab]:visible');
      await settled(page);
      for (let n = 0; n < Math.max(1, await tabs.count()); n += 1) {
        if ((await tabs.count()) > 0) await tabs.nth(n).click();
        await settled(page);
        await OPENED[label]?.(page);
        await page.screenshot({
          path: join(shots, `page-${label}-${n}-${colorScheme}-${name}.png`),
          fullPage: true,
        });
        broken.push(...(await faultsOf(page)).map((what) => `${label} ${n}: ${what}`));
      }
    }
    assert.deepEqual(broken, []);
    assert.deepEqual(faults, []);
  });

test('the other scheme fits on each screen, and who lacks rights is told in colours that can be read', async (t) => {
  const broken = [];
  for (const [as, colorScheme, viewport] of [
    [stage.key, 'dark', WIDE],
    [READER, 'light', PHONE],
  ]) {
    const { page } = await signedIn(t, as, { colorScheme, viewport, bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    for (const [label, path] of Object.entries(PATHS)) {
      await open(page, path);
      await page.locator('main h1').first().waitFor(WAIT);
      await settled(page);
      await page.screenshot({ path: join(shots, `page-${label}-${colorScheme}-${viewport.width}.png`) });
      broken.push(...(await faultsOf(page)).map((what) => `${label}, ${colorScheme}: ${what}`));
    }
  }
  assert.deepEqual(broken, []);
});

test('the pictures of the README are of pages that work', async (t) => {
  const { page } = await signedIn(t, stage.key, { viewport: { width: 1040, height: 760 } });
  const picture = (name) => page.screenshot({ path: join(shots, `readme-${name}.png`) });
  await settled(page);
  await picture('overview');
  await open(page, '/approvals');
  const change = page.getByRole('region', { name: 'Change of src/limits.ts' });
  await change.waitFor(WAIT);
  const colours = ['.removed', '.added'].map((line) =>
    change.locator(line).evaluate((each) => getComputedStyle(each).backgroundColor),
  );
  assert.deepEqual(await Promise.all(colours), ['rgb(255, 227, 227)', 'rgb(211, 249, 216)']);
  await picture('approvals');
  await open(page, `/receipts/${at.session}`);
  await page.getByText(/^All \d+ receipts verify/).waitFor(WAIT);
  await picture('receipts');
});

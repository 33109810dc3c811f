/**
 * What strangers say is text on every page: agents, tool servers, and callers who write names. The canary would set a variable,
 * open a dialog, ask another server for a picture, or break the page's policy, which alone must not be what stops it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stream } from '../../dist/test/harness/peers/script.js';
import { startScriptedAgent } from '../../dist/test/harness/peers/scripted-agent.js';
import { cards } from '../../dist/test/harness/peers/scripted-cards.js';
import { CALM, eventually, open, openStage, said, WAIT } from './stage.mjs';

/** Another site: nothing may ask it for anything. */
const asked = [];
const elsewhere = createServer((request, response) => {
  asked.push(request.url);
  response.writeHead(204, { 'access-control-allow-origin': '*' }).end();
});
elsewhere.listen(0, '127.0.0.1');
await once(elsewhere, 'listening');
after(() => elsewhere.close());
const away = `http://127.0.0.1:${elsewhere.address().port}`;

const HOSTILE = [
  `<img src=x onerror="window.__pwned=1;alert(1)">`,
  `<img src="${away}/tag.png"><script src="${away}/s.js"></script><script>window.__pwned=1</script>`,
  `<iframe src="${away}/frame"></iframe><svg onload="window.__pwned=1"><a href="javascript:window.__pwned=1">a</a>`,
  `![p](${away}/markdown.png) [m](javascript:window.__pwned=1) <style>@import "${away}/s.css"</style>`,
  `" onmouseover="window.__pwned=1" x="' onfocus='window.__pwned=1' autofocus {{7*7}} \${alert(1)} </textarea></title>`,
].join('\n');
const LINE = HOSTILE.replaceAll('\n', ' ');
/** As much of it as a name may have. */
const NAME = LINE.slice(0, 190);
/** A picture of one point. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.__pwned=1"><script>window.__pwned=1</script><image href="${away}/svg.png"/></svg>`;
const DIFF = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old ${LINE}\n+new ${LINE}\n`;
const base64 = (text) => Buffer.from(text).toString('base64');

const ids = { taskId: 'r1', contextId: 'c1' };
const status = (state, text) => ({
  state: `TASK_STATE_${state}`,
  ...(text === undefined
    ? {}
    : { message: { messageId: `m-${state}`, role: 'ROLE_AGENT', parts: [{ text }] } }),
});
const artifact = (artifactId, part, name = LINE) => ({
  result: {
    artifactUpdate: {
      ...ids,
      artifact: { artifactId, name, description: LINE, parts: [part] },
      lastChunk: true,
    },
  },
});
const task = { result: { task: { id: 'r1', contextId: 'c1', status: status('WORKING') } } };
const end = (state, text) => ({ result: { statusUpdate: { ...ids, status: status(state, text) } } });
const RUNS = {
  show: [
    task,
    {
      result: { statusUpdate: { ...ids, status: status('WORKING', HOSTILE), metadata: { [LINE]: HOSTILE } } },
    },
    artifact('text', { text: HOSTILE }),
    artifact('data', { data: { [LINE]: HOSTILE } }),
    artifact('diff', { text: DIFF }, 'changes'),
    artifact('picture', { raw: PNG, mediaType: 'image/png', filename: 'point.png' }, 'point.png'),
    artifact('drawing', { raw: base64(SVG), mediaType: 'image/svg+xml', filename: LINE }, 'drawing.svg'),
    artifact(
      'page',
      { raw: base64(HOSTILE), mediaType: 'text/html', filename: `../../${LINE}` },
      'page.html',
    ),
    artifact('link', { url: 'javascript:window.__pwned=1', mediaType: 'text/html', filename: LINE }),
    end('COMPLETED', HOSTILE),
  ],
  fail: [task, end('FAILED', HOSTILE)],
  ask: [task, end('INPUT_REQUIRED', HOSTILE)],
};
const agent = await startScriptedAgent(
  {
    SendStreamingMessage: ({ id, params }) => {
      const [{ text }] = params.message.parts;
      return stream(
        ...(RUNS[text] ?? RUNS.fail).map(({ result }) => ({ frame: { jsonrpc: '2.0', id, result } })),
      );
    },
  },
  {
    card: (origin) => ({
      ...cards.v1(origin),
      name: LINE,
      description: HOSTILE,
      provider: { organization: LINE, url: 'https://example.com' },
      skills: [{ id: 'any', name: LINE, description: HOSTILE, tags: [LINE], examples: [HOSTILE] }],
    }),
  },
);
after(() => agent.close());

const stage = await openStage({
  upstreams: {
    a2a: [{ id: 'stranger', card: agent.cardUrl }],
    mcp: [
      {
        id: 'tools',
        command: [process.execPath, join(import.meta.dirname, 'hostile-tools.mjs')],
        env: { HOSTILE: LINE },
        tools: { approve: ['danger'] },
      },
    ],
  },
});
const { call, newPage, enter, submit, until } = stage;

/** Signs in and walks over pages; on each opens what can be opened, and looks for what was run. */
async function walk(t, paths) {
  const { page, seen } = await newPage(t);
  await enter(page);
  for (const path of paths) {
    await open(page, path);
    await page.locator('main h1').first().waitFor(WAIT);
    const tabs = page.locator('main').getByRole('tab');
    await page.waitForTimeout(250);
    for (let at = 0; at < Math.max(1, await tabs.count()); at += 1) {
      if ((await tabs.count()) > 0) await tabs.nth(at).click();
      await page.waitForTimeout(250);
      const shows = page.getByRole('button', { name: 'Show', exact: true });
      for (let left = await shows.count(); left > 0; left -= 1) {
        await shows.first().click();
        await eventually(
          () => shows.count(),
          (count) => count < left,
        );
      }
      await page.evaluate(() => {
        for (const each of document.querySelectorAll('details')) each.open = true;
      });
      await page.evaluate(() => {
        const closed = document.querySelectorAll('main button[aria-expanded=false]:not([aria-haspopup])');
        for (const button of closed) button.click();
      });
      await page.waitForTimeout(150);
      const bad = await page.evaluate(() => ({
        pwned: window.__pwned,
        tags: [
          ...document.querySelectorAll(
            'iframe, embed, object, style, svg[onload], img[src="x"], [onerror], [onmouseover], [onfocus]',
          ),
        ].map((each) => each.outerHTML.slice(0, 200)),
        links: [...document.querySelectorAll('[href], [src], [action]')]
          .map((each) => each.getAttribute('href') ?? each.getAttribute('src') ?? each.getAttribute('action'))
          .filter((link) => /^\s*(?:javascript|vbscript|data:text)/i.test(link)),
        title: document.title,
      }));
      assert.deepEqual(
        bad,
        { pwned: undefined, tags: [], links: [], title: 'harn-gateway' },
        `${path}, tab ${at}`,
      );
    }
  }
  assert.deepEqual(seen, CALM);
  assert.deepEqual(asked, []);
  return page;
}

test('agents cannot make the page run, load or link anything: names, texts, files, questions and failures', async (t) => {
  const shown = await submit('show', { route: 'a2a:stranger', [LINE]: HOSTILE });
  const failed = await submit('fail', { route: 'a2a:stranger' });
  const waits = await submit('ask', { route: 'a2a:stranger' });
  await until(shown.id, 'COMPLETED');
  await until(failed.id, 'FAILED');
  await until(waits.id, 'INPUT_REQUIRED');
  const page = await walk(t, [
    '/',
    '/sessions',
    `/sessions/${shown.session_id}`,
    `/sessions/${failed.session_id}`,
    `/sessions/${waits.session_id}`,
    '/approvals',
    `/receipts/${shown.session_id}`,
    `/replay/${shown.id}`,
    '/agents',
    '/playground',
    `/playground/${encodeURIComponent('a2a:stranger')}`,
  ]);
  await open(page, `/sessions/${shown.session_id}`);
  await page.getByText('<img src=x onerror=').first().waitFor(WAIT);
  await page.screenshot({ path: join(stage.shots, 'hostile-session.png'), fullPage: true });
});

test('tool servers cannot either: names, descriptions, schemas, results, approvals and errors', async (t) => {
  const skills = (await call('GET', '/v1/skills?limit=200')).data.map(({ id }) => id);
  const of = (tool) => skills.find((id) => id.endsWith(tool));
  const use = async (tool) => {
    const session = await call('POST', '/v1/sessions', { workspace_id: 'workspace_default' });
    const parts = [{ type: 'json', value: { text: LINE }, visibility: 'public' }];
    const metadata = { route: `skill:${of(tool)}` };
    return call('POST', `/v1/sessions/${session.id}/tasks`, { input: { role: 'user', parts }, metadata });
  };
  const shown = await use('show');
  await until(shown.id, 'COMPLETED');
  const gated = await use('danger');
  const refused = await use('danger');
  await until(gated.id, 'INPUT_REQUIRED', 'AUTH_REQUIRED');
  await until(refused.id, 'INPUT_REQUIRED', 'AUTH_REQUIRED');
  const { data } = await call('GET', '/v1/permission-requests?limit=200');
  const { id } = data.find((one) => one.task_id === refused.id);
  await call('POST', `/v1/permission-requests/${id}/respond`, { approved: true });
  await until(refused.id, 'FAILED', 'COMPLETED');
  await walk(t, [
    '/',
    '/approvals',
    ...[shown, gated, refused].map(({ session_id }) => `/sessions/${session_id}`),
    `/replay/${refused.id}`,
    '/agents',
    ...['show', 'danger'].map((tool) => `/playground/${encodeURIComponent(`skill:${of(tool)}`)}`),
  ]);
});

test('callers cannot either: personas, sessions, clients and messages', async (t) => {
  const session = await call('POST', '/v1/sessions', {
    workspace_id: 'workspace_default',
    metadata: { [LINE]: HOSTILE },
  });
  await call('POST', '/v1/personas', {
    name: NAME,
    version: '1',
    entry_workflow: 'a2a:stranger',
    description: HOSTILE,
    autonomy_tier: 'act_auto',
    receipt_policy: 'optional',
  });
  await call('POST', `/v1/sessions/${session.id}/attach`, {
    client_id: 'stranger',
    mode: 'observer',
    metadata: { protocol: LINE, [LINE]: LINE },
  });
  await call('POST', `/v1/sessions/${session.id}/tasks`, {
    input: said(HOSTILE),
    metadata: { route: 'a2a:stranger' },
  });
  await walk(t, ['/', '/sessions', `/sessions/${session.id}`, '/access', '/approvals']);
});

test('an artifact is shown as what it is: a picture, a drawing as its text, a diff in colours', async (t) => {
  const shown = await submit('show', { route: 'a2a:stranger' });
  await until(shown.id, 'COMPLETED');
  const { page, seen } = await newPage(t, { viewport: { width: 1280, height: 4000 } });
  await enter(page);
  await open(page, `/sessions/${shown.session_id}`);
  const card = (name) =>
    page.getByRole('region', { name: 'Conversation' }).locator('.row').filter({ hasText: name }).first();
  const show = card('point.png').getByRole('button', { name: 'Show' });
  await card('point.png').waitFor(WAIT);
  if ((await show.count()) > 0) await show.click();
  const picture = card('point.png').locator('img');
  await picture.waitFor(WAIT);
  assert.equal(await picture.evaluate((img) => img.decode().then(() => img.naturalWidth)), 1);
  const drawing = card('drawing.svg');
  const drawn = drawing.getByRole('button', { name: 'Show' });
  if ((await drawn.count()) > 0) await drawn.click();
  await drawing.getByText('<svg xmlns=').first().waitFor(WAIT);
  assert.equal(await drawing.locator('img, svg[onload]').count(), 0);
  const diff = card('changes');
  await diff.locator('.added').first().waitFor(WAIT);
  assert.match(await diff.locator('.removed').first().textContent(), /^-/);
  assert.deepEqual(seen, CALM);
  await page.screenshot({ path: join(stage.shots, 'artifacts.png') });
});

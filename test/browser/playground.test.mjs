/** The playground over each protocol, and the commands that pages copy, run in a shell. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CALM, eventually, open, openStage, WAIT } from './stage.mjs';

const stage = await openStage();
const { call, signedIn } = stage;
const run = promisify(execFile);

/** What the page put on the clipboard, run as somebody would who pastes it. */
async function pasted(page) {
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(!command.includes(stage.key), 'the key is not in the command');
  const { stdout } = await run('sh', ['-c', command], {
    env: { ...process.env, HARN_GATEWAY_KEY: stage.key },
    timeout: WAIT.timeout,
  });
  return stdout;
}

async function withClipboard(t) {
  const opened = await signedIn(t, stage.key);
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.url });
  return opened;
}

async function atPlayground(page, protocol, text) {
  await open(page, '/');
  await open(page, `/playground/${encodeURIComponent('a2a:sample')}`);
  await page.getByLabel('Message').fill(text);
  await page.getByRole('tab', { name: protocol, exact: true }).click();
}

/** What each protocol says at the end of a task that has streamed. */
const ENDS = {
  REST: /task\.completed/,
  A2A: /TASK_STATE_COMPLETED/,
  MCP: /"result":.*"status":"COMPLETED"/,
  ACP: /"stopReason":"end_turn"/,
};

test('one message is sent over each protocol, and its frames are shown as they came', async (t) => {
  const { page, seen } = await signedIn(t);
  const frames = page.getByRole('region', { name: 'Frames' });
  for (const [protocol, end] of Object.entries(ENDS)) {
    await atPlayground(page, protocol, 'stream 2');
    await page.getByRole('button', { name: 'Send' }).click();
    await frames.getByText(/^done, \d+ frames$/).waitFor(WAIT);
    const values = await frames.locator('details pre, details code').allTextContents();
    const whole = values.map((value) => JSON.stringify(JSON.parse(value))).join('\n');
    assert.match(whole, end, protocol);
    await page.screenshot({ path: join(stage.shots, `playground-${protocol}.png`), fullPage: true });
  }
  await page.getByRole('link', { name: 'Open the session' }).click();
  await page.getByText('chunk 2 of 2').first().waitFor(WAIT);
  const { data } = await call('GET', '/v1/tasks?status=COMPLETED');
  assert.equal(data.length, Object.keys(ENDS).length);
  assert.deepEqual(seen, CALM);
});

test('the command that the playground copies does the same from a shell, over REST, A2A and MCP', async (t) => {
  const { page } = await withClipboard(t);
  const text = `it's "quoted"`;
  for (const protocol of ['REST', 'A2A', 'MCP']) {
    const { length } = (await call('GET', '/v1/tasks?limit=200')).data;
    await atPlayground(page, protocol, text);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor(WAIT);
    assert.match(await pasted(page), /COMPLETED|SUBMITTED|WORKING/, protocol);
    const { data } = await call('GET', '/v1/tasks?limit=200');
    assert.equal(data.length, length + 1, protocol);
    assert.equal(data[0].input.parts[0].text, text, protocol);
    assert.equal(data[0].assigned_agent_id ?? 'a2a:sample', 'a2a:sample', protocol);
  }
});

test('the command that a page copies reads what the page shows', async (t) => {
  const { page } = await withClipboard(t);
  for (const [path, heading, route] of [
    ['/', 'Agents and tools', '/v1/agents'],
    ['/', 'Newest sessions', '/v1/sessions?limit=10'],
    ['/agents', 'Tools and skills', '/v1/skills'],
  ]) {
    await open(page, path);
    const button = page.getByRole('heading', { name: heading }).getByRole('button', { name: 'Copy as curl' });
    await button.click();
    assert.deepEqual(JSON.parse(await pasted(page)), await call('GET', route), heading);
  }
});

test('the command of a new persona makes it, whatever its name', async (t) => {
  const { page } = await withClipboard(t);
  await open(page, '/access');
  await page.getByRole('tab', { name: 'Personas' }).click();
  await page.getByRole('button', { name: 'New persona' }).click();
  await page.getByLabel('Name', { exact: false }).first().fill(`O'Brien $(touch x) "quoted"`);
  await page.getByLabel('Workflow').fill('a2a:sample');
  await page.getByLabel('Description').fill('Made from a shell.');
  await page.getByRole('button', { name: 'Copy as curl' }).first().click();
  await pasted(page);
  const names = () => call('GET', '/v1/personas').then(({ data }) => data.map(({ name }) => name));
  await eventually(names, (list) => list.includes(`O'Brien $(touch x) "quoted"`));
});

/** The pages Access and Agents: what an operator does there, what is checked in the page, and what a reader is not offered. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { keyRow, open, openStage, WAIT } from './stage.mjs';

const READER = 'harn_reader_of_the_browser_tests';
const READS = ['workspaces', 'sessions', 'tasks', 'events', 'permissions', 'agents', 'skills', 'personas'];
const scopes = [...READS, 'receipts', 'quotas', 'vaults', 'dead_letters', 'artifacts'].map(
  (room) => `${room}:read`,
);
const stage = await openStage({
  auth: { api_keys: [keyRow('reader', READER, scopes)] },
});
const { call, shots, signedIn } = stage;
const tab = (page, name) => page.getByRole('tab', { name }).click();

test('a key is made, shown once, counts, and counts no more when it is revoked', async (t) => {
  const { page, faults } = await signedIn(t);
  await open(page, '/access');
  await tab(page, 'Keys');
  await page.getByLabel('Name of the new key').fill('nightly');
  await page.getByLabel('Workspaces').fill('workspace_default');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const shown = page.getByRole('status').filter({ hasText: 'shown this once' });
  await shown.waitFor(WAIT);
  const key = (await shown.locator('code').textContent()).trim();
  assert.equal((await call('GET', '/v1/caller', undefined, key)).actor, 'nightly');
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await shown.waitFor({ state: 'detached', ...WAIT });
  assert.equal((await page.content()).includes(key), false);
  await page.getByRole('button', { name: 'Revoke nightly' }).click();
  await page.getByText('revoked', { exact: true }).waitFor(WAIT);
  await assert.rejects(call('GET', '/v1/caller', undefined, key), /401/);
  assert.deepEqual(faults, []);
});

test('the rule that decides is named, of what is allowed and of what is refused', async (t) => {
  const { page } = await signedIn(t);
  await open(page, '/access');
  await tab(page, 'Who may do what');
  const answer = page.getByRole('status', { name: 'Explanation' });
  for (const [actor, effect] of [
    ['operator', 'allow'],
    ['reader', 'refuse'],
  ]) {
    const { decision } = await call('GET', `/v1/admin/policy/explain?actor=${actor}&operation=submitTask`);
    assert.equal(decision.effect, effect);
    await page.getByLabel('Actor').fill(actor);
    await page.getByRole('button', { name: 'Explain' }).click();
    await answer.getByText(decision.rule, { exact: true }).waitFor(WAIT);
    await answer.getByText(decision.because, { exact: true }).waitFor(WAIT);
  }
  await page.screenshot({ path: join(shots, 'access-explained.png') });
});

test('a reader sees no button of these pages that would fail, and why', async (t) => {
  await call('POST', '/v1/permissions/rules', {
    class: 'exec',
    action_pattern: 'run',
    target_pattern: '*',
    scope: 'workspace',
    scope_value: 'workspace_default',
    allow: false,
  });
  const { page } = await signedIn(t, READER);
  await open(page, '/agents');
  await page.getByText('Sample agent').first().waitFor(WAIT);
  await page.getByText('lacks the scope sessions:write or tasks:write').waitFor(WAIT);
  assert.equal(await page.getByText('Try', { exact: true }).count(), 0);
  await open(page, '/sessions');
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor(WAIT);
  assert.equal(await page.getByRole('button', { name: 'New session' }).count(), 0);
  await open(page, '/access');
  await page.getByText('lacks the scope permissions:respond').waitFor(WAIT);
  await page.getByText('deny', { exact: true }).first().waitFor(WAIT);
  for (const [name, told] of [
    ['Keys', 'lacks the scope admin'],
    ['Who may do what', 'lacks the scope admin'],
    ['Dead letters', 'lacks the scope dead_letters:write'],
  ]) {
    await tab(page, name);
    await page.getByText(told).waitFor(WAIT);
    assert.equal(await page.getByRole('alert').count(), 0, name);
  }
  for (const name of ['Forget', 'Make a key', 'Explain', 'Retry'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
});

test('the signed card is verified in the page, and is red when a member of it was altered', async (t) => {
  const { page, faults } = await signedIn(t);
  await open(page, '/agents');
  const state = page.getByRole('status', { name: 'Signature of the card' });
  await state.getByText('verified here').waitFor(WAIT);
  await page.screenshot({ path: join(shots, 'agents-card.png'), fullPage: true });
  await page.route('**/v1/agent-card', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), name: 'Somebody else' } });
  });
  await open(page, '/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor(WAIT);
  await open(page, '/agents');
  await state.getByText('signature does not fit').waitFor(WAIT);
  assert.match(await page.getByRole('alert').textContent(), /expected .*observed/s);
  assert.deepEqual(faults, []);
});

test('the card of an agent says which members the gateway rewrote', async (t) => {
  const { page } = await signedIn(t);
  await open(page, '/agents');
  await page.getByRole('button', { name: 'Card of the agent' }).first().click();
  const table = page.getByRole('table', { name: 'Rewritten members' });
  await table.getByText(`${stage.url}/a2a/sample`).first().waitFor(WAIT);
  const members = await table.locator('tbody th').allTextContents();
  assert.ok(members.includes('supportedInterfaces'), members.join());
  assert.ok(!members.includes('name') && !members.includes('skills'), members.join());
});

test('an agent is tried in the playground, with it chosen', async (t) => {
  const { page } = await signedIn(t);
  await open(page, '/agents');
  await page.getByRole('link', { name: 'Try' }).first().click();
  await page.getByLabel('Message').fill('stream 2');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('task.completed', { exact: true }).waitFor(WAIT);
});

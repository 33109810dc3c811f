/** What an operator does on the pages Access and Agents: personas, vaults, halts, and tools that are no longer what was pinned. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scriptedMcpServer } from '../../dist/test/harness/scripted-mcp-server.js';
import { CALM, eventually, open, openStage, WAIT } from './stage.mjs';

const stage = await openStage({
  upstreams: { mcp: [{ id: 'tools', command: scriptedMcpServer() }] },
});
const { call, shots, signedIn, submit, until } = stage;
const tab = (page, name) => page.getByRole('tab', { name }).click();

test('a persona is made and changed in forms, and what the API refuses is told there', async (t) => {
  const { page, seen } = await signedIn(t);
  await open(page, '/access');
  await tab(page, 'Personas');
  await page.getByRole('button', { name: 'New persona' }).click();
  const make = page.getByRole('button', { name: 'Make the persona' });
  assert.equal(await make.isDisabled(), true);
  await page.getByLabel('Name').fill('reviewer');
  await page.getByLabel('Workflow').fill('a2a:sample');
  await page.getByLabel('Description').fill('Reviews what others write.');
  await page.getByRole('combobox', { name: 'Handoffs' }).fill('a2a:sample');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Quota' }).fill('nobody');
  await make.click();
  assert.match(await page.getByRole('alert').textContent(), /nobody|quota/);
  await page.screenshot({ path: join(shots, 'access-persona-form.png'), fullPage: true });
  await page.getByRole('textbox', { name: 'Quota' }).fill('');
  await make.click();
  const card = page.getByRole('list', { name: 'Personas' }).getByRole('listitem');
  await card.getByText('handoffs: a2a:sample').waitFor(WAIT);
  await card.getByRole('button', { name: 'Change reviewer' }).click();
  await card.getByLabel('Description').fill('Reviews, and says why.');
  await card.getByRole('button', { name: 'Keep the change' }).click();
  await card.getByText('Reviews, and says why.', { exact: true }).waitFor(WAIT);
  const { data } = await call('GET', '/v1/personas');
  const { name, autonomy_tier, handoffs, description, quota_id } = data[0];
  assert.deepEqual(
    { name, autonomy_tier, handoffs, description, quota_id },
    {
      name: 'reviewer',
      autonomy_tier: 'act_with_approval',
      handoffs: ['a2a:sample'],
      description: 'Reviews, and says why.',
      quota_id: null,
    },
  );
  assert.deepEqual(seen, CALM);
});

test('a vault is described in a form, which takes no secret', async (t) => {
  const { page, seen } = await signedIn(t);
  await open(page, '/access');
  await tab(page, 'Vaults');
  await page.getByRole('button', { name: 'New vault' }).click();
  await page.getByLabel('Provider').fill(`ghp_${'a1B2c3'.repeat(6)}`);
  await page.getByRole('button', { name: 'Describe the vault' }).click();
  assert.match(await page.getByRole('alert').textContent(), /holds no secrets/);
  await page.getByLabel('Provider').fill('hashicorp');
  await page.getByRole('combobox', { name: 'Capabilities' }).fill('secret.resolve');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Describe the vault' }).click();
  const card = page.getByRole('list', { name: 'Vaults' }).getByRole('listitem');
  await card.getByText('hashicorp').waitFor(WAIT);
  const { data } = await call('GET', '/v1/vaults');
  const { provider, capabilities, workspace_id } = data[0];
  assert.deepEqual(
    [provider, capabilities, workspace_id],
    ['hashicorp', ['secret.resolve'], 'workspace_default'],
  );
  assert.deepEqual(seen, CALM);
});

test('an agent is halted with a reason, which ends what runs there, and released', async (t) => {
  const running = await submit('slow 60', { route: 'a2a:sample' });
  await until(running.id, 'WORKING');
  const { page, seen } = await signedIn(t);
  await open(page, '/agents');
  await page.getByRole('button', { name: 'Halt a2a:sample' }).click();
  await page.getByLabel('Why a2a:sample is halted').fill('It spends too much.');
  await page.getByRole('button', { name: 'Halt it now' }).click();
  const halt = page.getByRole('list', { name: 'Halts' }).getByRole('listitem');
  await halt.getByText('It spends too much.').waitFor(WAIT);
  const { failure } = await until(running.id, 'FAILED', 'CANCELED');
  assert.match(JSON.stringify(failure), /It spends too much/);
  await page.screenshot({ path: join(shots, 'agents-halted.png'), fullPage: true });
  await open(page, '/');
  const row = page.getByRole('table', { name: 'Agents and tools' }).getByRole('row', { name: /a2a:sample/ });
  await row.getByText('halted').waitFor(WAIT);
  await open(page, '/agents');
  await page.getByRole('button', { name: 'Release a2a:sample' }).click();
  await page.getByText('Nothing is halted').waitFor(WAIT);
  const { halt_id } = (await call('GET', '/v1/agents')).data.find(({ route }) => route === 'a2a:sample');
  assert.equal(halt_id, null);
  assert.deepEqual(seen, CALM);
});

test('a tool whose definition is another one than was pinned is marked, with what changed', async (t) => {
  const ok = () => call('GET', '/v1/skills/tools__ok');
  await eventually(
    () => call('GET', '/v1/skills?limit=200').then(({ data }) => data.map(({ id }) => id)),
    (ids) => ids.includes('tools__ok'),
  );
  const before = await ok();
  const session = await call('POST', '/v1/sessions', { workspace_id: 'workspace_default' });
  const input = { role: 'user', parts: [{ type: 'json', value: {}, visibility: 'public' }] };
  const metadata = { route: 'skill:tools__change' };
  const { id } = await call('POST', `/v1/sessions/${session.id}/tasks`, { input, metadata });
  await until(id, 'COMPLETED');
  await eventually(ok, ({ metadata: of }) => of.definition_changed);
  const { page, seen } = await signedIn(t);
  await open(page, '/agents');
  const tools = page.getByRole('region', { name: 'Of mcp:tools' });
  await tools.getByText('changed since pinned').waitFor(WAIT);
  await tools.getByText(`pinned ${before.version}, now ${(await ok()).version}`).waitFor(WAIT);
  const rows = await tools.getByRole('table', { name: 'Changed members' }).getByRole('row').allTextContents();
  assert.ok(
    rows.some((row) => row.startsWith('description')),
    rows.join(),
  );
  await page.screenshot({ path: join(shots, 'agents-changed-tool.png'), fullPage: true });
  assert.deepEqual(seen, CALM);
});

test('tasks of all sessions are chosen by state and agent, and searched', async (t) => {
  const failed = await submit('fail', { route: 'a2a:sample' });
  const fine = await submit('find me', { route: 'a2a:sample' });
  await until(failed.id, 'FAILED');
  await until(fine.id, 'COMPLETED');
  const { page, seen } = await signedIn(t);
  await open(page, '/sessions');
  await tab(page, 'Tasks');
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  await page.getByLabel('Search').fill('find me');
  await eventually(
    () => rows.count(),
    (count) => count === 1,
  );
  await page.getByLabel('Search').fill('');
  await page.getByRole('combobox', { name: 'State' }).or(page.getByLabel('State')).first().click();
  await page.getByRole('option', { name: 'FAILED' }).click();
  await eventually(
    () => rows.allTextContents(),
    (all) => all.length > 0 && all.every((row) => /failed/.test(row)),
  );
  assert.deepEqual(seen, CALM);
});

test('a replay that cannot be made is told as one, and not as a turn that failed', async (t) => {
  const task = await submit('stream 2', { route: 'a2a:sample' });
  await until(task.id, 'COMPLETED');
  const frames = (await call('GET', `/v1/tasks/${task.id}/materials`)).data;
  // No answer says that the run has ended: the replay needs one that was never recorded.
  const value = { kind: 'message', body: { nothing: 'of A2A' } };
  const override = Object.fromEntries(frames.map(({ id, kind }) => [id, { kind, value }]));
  const again = await call('POST', `/v1/tasks/${task.id}/replay`, { mode: 'with_overrides', override });
  const { failure } = await until(again.id, 'FAILED');
  const { page, seen } = await signedIn(t);
  await open(page, `/sessions/${task.session_id}`);
  const talk = page.getByRole('region', { name: 'Conversation' });
  await talk.getByText('could not be made').waitFor(WAIT);
  await talk.getByText(failure.message).waitFor(WAIT);
  assert.equal(await talk.getByText('failed', { exact: true }).count(), 0);
  await talk.getByRole('link', { name: 'Compare the runs' }).waitFor(WAIT);
  await tab(page, 'Tasks');
  await page.getByText('replay', { exact: true }).waitFor(WAIT);
  assert.deepEqual(seen, CALM);
});

test('what is done without asking is shown, and every answer with the rule that gave it', async (t) => {
  await call('PUT', '/v1/permissions/policy', { read: ['docs/**'], llm: { cost_ceiling_usd_cents: 250 } });
  const rule = await call('POST', '/v1/permissions/rules', {
    class: 'exec',
    action_pattern: 'run',
    target_pattern: 'rm *',
    scope: 'always',
    allow: false,
  });
  const session = await call('POST', '/v1/sessions', { workspace_id: 'workspace_default' });
  const asked = {
    session_id: session.id,
    actor: 'reviewer',
    class: 'exec',
    action: 'run',
    target: 'rm notes',
  };
  await call('POST', '/v1/permissions/check', asked);
  const { page, seen } = await signedIn(t);
  await open(page, '/access');
  const policy = page.getByRole('table', { name: 'Policy' });
  await policy.getByRole('row', { name: 'Read docs/**' }).waitFor(WAIT);
  await policy.getByRole('row', { name: 'Cost of a session at most 2.50 USD' }).waitFor(WAIT);
  await tab(page, 'History');
  const row = page.getByRole('table', { name: 'Answers' }).getByRole('row', { name: /rm notes/ });
  await row.getByText('denied').waitFor(WAIT);
  await row.getByText(rule.id).waitFor(WAIT);
  assert.deepEqual(seen, CALM);
});

/** A permission that an ACP agent asks for, with an editor and the console open on the same session. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { AcpLauncher } from '../../dist/test/harness/acp-launcher.js';
import { CALM, eventually, open, openStage, WAIT } from './stage.mjs';

const AGENT = join(import.meta.dirname, '../../dist/test/harness/peers/acp-agent.js');
const stage = await openStage({ upstreams: { acp: [{ id: 'coder', command: [process.execPath, AGENT] }] } });
const { call, signedIn } = stage;

/** An editor as people have one: it starts `harn-gateway acp` and asks its user by `answer`. */
function editor(t, answer) {
  const launcher = new AcpLauncher(
    ['--url', stage.url, '--key', stage.key],
    { HOME: stage.data },
    { permission: answer },
  );
  t.after(() => launcher.close());
  return launcher.client;
}

/** Both have the same question before them. */
async function asked(t, answer) {
  const client = editor(t, answer);
  await client.begin();
  const { sessionId } = await client.session({ route: 'acp:coder' });
  const prompted = client.prompt(sessionId, 'edit notes.txt');
  await client.until(() => client.permissions.length === 1);
  const opened = await signedIn(t);
  await open(opened.page, '/approvals');
  const question = opened.page.getByRole('article', { name: /^Question/ });
  await question.waitFor(WAIT);
  return { client, sessionId, prompted, question, ...opened };
}

const states = async () =>
  (await call('GET', '/v1/permission-requests?limit=200')).data.map(({ status }) => status);

test('the console answers what an agent asks, and the editor goes on with that answer', async (t) => {
  const { client, prompted, question, page, seen } = await asked(t);
  assert.match(await question.textContent(), /notes\.txt/);
  await page.screenshot({ path: join(stage.shots, 'approvals-acp.png') });
  await question.getByRole('button', { name: 'Yes', exact: true }).click();
  const { stopReason } = await prompted;
  assert.equal(stopReason, 'end_turn');
  assert.match(client.text(), /option yes/);
  await question.waitFor({ state: 'detached', ...WAIT });
  assert.ok((await states()).every((state) => state !== 'pending'));
  assert.deepEqual(seen, CALM);
});

test('the editor answers, and the question leaves the console without a key being pressed', async (t) => {
  let answer;
  const given = new Promise((resolve) => {
    answer = () => resolve({ outcome: { outcome: 'selected', optionId: 'no' } });
  });
  const { prompted, question, page, seen } = await asked(t, () => given);
  answer();
  await prompted;
  await question.waitFor({ state: 'detached', ...WAIT });
  assert.equal(await page.getByRole('alert').count(), 0);
  await page.getByRole('tab', { name: 'Answered before' }).click();
  await page.getByText('denied').first().waitFor(WAIT);
  assert.deepEqual(seen, CALM);
});

test('by keyboard alone: d denies, and the editor hears it', async (t) => {
  const { client, prompted, question, page } = await asked(t);
  await page.keyboard.press('d');
  await prompted;
  assert.match(client.text(), /option no/);
  await question.waitFor({ state: 'detached', ...WAIT });
});

test('an answer that comes second is told so, and changes nothing', async (t) => {
  const { client, prompted, question, page } = await asked(t);
  // The other answer is on its way while this page does not hear of it yet.
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route('**/respond', async (route) => {
    await held;
    await route.continue();
  });
  await question.getByRole('button', { name: 'Yes', exact: true }).click();
  const { data } = await call('GET', '/v1/permission-requests?limit=200');
  const { id } = data.find(({ status }) => status === 'pending');
  await call('POST', `/v1/permission-requests/${id}/respond`, { answer: { option_id: 'no' } });
  release();
  await prompted;
  assert.match(client.text(), /option no/);
  await question.waitFor({ state: 'detached', ...WAIT });
  await eventually(states, (all) => all.filter((state) => state === 'pending').length === 0);
});

test('the session shows the editor among who is here, and the call with its change', async (t) => {
  const { prompted, sessionId, question, page } = await asked(t);
  const { data } = await call('GET', '/v1/sessions?limit=200');
  const session = data.find(({ id }) => id === sessionId) ?? data[0];
  await question.getByRole('link', { name: 'Open the session' }).click();
  await page.getByRole('tab', { name: /^Who is here/ }).click();
  await page.getByRole('list', { name: 'Clients' }).getByRole('listitem').first().waitFor(WAIT);
  await page
    .getByRole('article', { name: /^Question/ })
    .getByRole('button', { name: 'Yes', exact: true })
    .click();
  await prompted;
  await page.getByRole('tab', { name: 'Conversation' }).click();
  await page.getByText('option yes').first().waitFor(WAIT);
  await page.getByText('Write notes.txt').first().waitFor(WAIT);
  assert.ok(session.id.startsWith('session_'));
});

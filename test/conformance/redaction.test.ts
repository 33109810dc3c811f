import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { statusFrame, taskFrame } from '../harness/a2a-words.ts';
import { userText } from '../harness/client.ts';
import { type Answer, stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { allEvents } from './event-findings.ts';
import { stageOf } from './stage.ts';

const PATTERN = `ghp_${'a1B2'.repeat(9)}`;
const UPSTREAM_SECRET = 'upstream-credential-0123456789';

describe('secrets', () => {
  const script: Record<string, Answer> = {};
  const secretDirectory = mkdtempSync(join(tmpdir(), 'harn-secret-'));
  const file = join(secretDirectory, 'agent-token');
  writeFileSync(file, UPSTREAM_SECRET, { mode: 0o600 });
  afterAll(() => rmSync(secretDirectory, { recursive: true }));
  const stage = stageOf({
    agents: { scripted: () => startScriptedAgent(script) },
    upstream: { auth: { type: 'bearer', value: { file } } },
  });
  const secrets = () => [stage.client.key, PATTERN, UPSTREAM_SECRET];
  const sentToAgent = (text: string) => stage.peer('sample').requests.some(({ body }) => body.includes(text));

  it('[S4-01] [S4-02] [CORE-SEC-01] what a caller sends is redacted in the log and reaches the agent whole', async () => {
    for (const secret of [stage.client.key, PATTERN]) {
      const task = await stage.client.submit(`hello ${secret}`);
      expect(JSON.stringify(task)).not.toContain(secret);
      await stage.client.until(task.id, 'COMPLETED');
      expect(sentToAgent(`hello ${secret}`)).toBe(true);
      for (const path of [
        `/v1/tasks/${task.id}`,
        `/v1/tasks/${task.id}/events`,
        `/v1/sessions/${task.session_id}/messages`,
      ]) {
        expect((await stage.client.call('GET', path)).text).not.toContain(secret);
      }
    }
  });

  it('[S4-02] nothing is kept encrypted of an input that has no secret, whatever its form', async () => {
    const { id } = await stage.client.session();
    const input = { deploy: { note: 'nothing secret', steps: ['one', 'two'] } };
    for (const given of [input, userText('hello there')]) {
      const { body } = await stage.client.call<{ id: string }>('POST', `/v1/sessions/${id}/tasks`, {
        body: { input: given },
      });
      await stage.client.until(body.id, 'COMPLETED');
      const events = await stage.client.events(`/v1/tasks/${body.id}/events`);
      const said = events.filter(({ event }) => event === 'user.message').map(({ payload }) => payload);
      expect(said.map(({ sealed, redaction_proof }) => [sealed, redaction_proof])).toEqual([
        [undefined, undefined],
      ]);
    }
  });

  // The behaviours chosen make no artifact: its bytes would be kept as they are.
  it('[S4-02] a payload object, an answer and a message of any role reach the agent whole', async () => {
    const { id } = await stage.client.session();
    const payload = await stage.client.call<{ id: string; input: object }>(
      'POST',
      `/v1/sessions/${id}/tasks`,
      {
        body: { input: { deploy: { note: `one ${PATTERN}` } } },
      },
    );
    expect(JSON.stringify(payload.body.input)).not.toContain(PATTERN);
    await stage.client.until(payload.body.id, 'COMPLETED');
    expect(sentToAgent(`one ${PATTERN}`)).toBe(true);
    const asking = await stage.client.submit('login', id);
    await stage.client.until(asking.id, 'AUTH_REQUIRED');
    expect(JSON.stringify(await stage.client.answer(asking.id, `two ${PATTERN}`))).not.toContain(PATTERN);
    await stage.client.until(asking.id, 'COMPLETED');
    expect(sentToAgent(`two ${PATTERN}`)).toBe(true);
    for (const role of ['user', 'system', 'tool', 'assistant', 'agent']) {
      await stage.client.post(`/v1/sessions/${id}/messages`, {
        message: { ...userText(`hello ${role} ${PATTERN}`), role },
      });
    }
    const last = await stage.client.submit('go', id);
    await stage.client.until(last.id, 'COMPLETED');
    for (const role of ['user', 'system', 'tool', 'assistant', 'agent']) {
      expect([role, sentToAgent(`${role} ${PATTERN}`)]).toEqual([role, true]);
    }
  });

  it('[S4-01] [CORE-PRIV-02] metadata, reasons, summaries and names are redacted wherever they go in', async () => {
    const note = { note: `x ${PATTERN}` };
    const session = await stage.client.session(note);
    const path = `/v1/sessions/${session.id}`;
    const texts = [
      JSON.stringify(session),
      (await stage.client.call('PATCH', path, { body: { summary: PATTERN, metadata: { more: PATTERN } } }))
        .text,
      (
        await stage.client.call('POST', `${path}/tasks`, {
          body: { input: userText('slow 30'), metadata: note },
        })
      ).text,
    ];
    const { id } = JSON.parse(texts[2] ?? '') as { id: string };
    texts.push(
      (await stage.client.call('POST', `/v1/tasks/${id}/cancel`, { body: { reason: PATTERN } })).text,
    );
    texts.push((await stage.client.call('GET', `${path}/events`)).text);
    const artifact = { kind: 'file', mime_type: 'text/plain', visibility: 'public', metadata: note };
    texts.push((await stage.client.call('POST', '/v1/artifacts', { body: artifact })).text);
    for (const text of texts) expect(text).not.toContain(PATTERN);
  });

  it('[S4-01] what an agent says is redacted too', async () => {
    script['SendStreamingMessage'] = () =>
      stream(taskFrame('WORKING'), statusFrame('COMPLETED', `I used ${PATTERN} and ${stage.client.key}.`));
    const { id } = await stage.client.submit('go', undefined, { route: 'a2a:scripted' });
    const task = await stage.client.until(id, 'COMPLETED');
    for (const path of [`/v1/outcomes/${task.outcome_id}`, `/v1/tasks/${id}/events`]) {
      const { text } = await stage.client.call('GET', path);
      expect(text).toContain('I used');
      for (const secret of secrets()) expect(text).not.toContain(secret);
    }
  });

  it('[CORE-AUTH-02] an error repeats nothing of what was sent', async () => {
    const bodies = [
      { workspace_id: PATTERN },
      { workspace_id: 'workspace_default', metadata: { route: PATTERN } },
      { [PATTERN]: 1 },
    ];
    for (const body of bodies) {
      const answer = await stage.client.call('POST', '/v1/sessions', { body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain(PATTERN);
    }
    const wrongKey = await stage.client.call('GET', '/v1/sessions', {
      headers: { authorization: `Bearer ${PATTERN}` },
    });
    expect(wrongKey.text).not.toContain(PATTERN);
  });

  it('[S4-01] the credential for the agent goes to the agent and nowhere else', async () => {
    await stage.client.submit('hello');
    const request = await stage.peer('sample').arrived('SendStreamingMessage');
    expect(request.headers.authorization).toBe(`Bearer ${UPSTREAM_SECRET}`);
  });

  it('[CORE-AUTH-02] [S4-01] [CORE-PRIV-02] no event, no log line and no file holds any of them', async () => {
    const events = JSON.stringify(await allEvents(stage.gateway.log));
    const { data } = stage.gateway;
    const files = readdirSync(data, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    expect(files.length).toBeGreaterThan(2);
    for (const secret of secrets()) {
      expect(events).not.toContain(secret);
      expect(stage.gateway.logText()).not.toContain(secret);
      expect(files.filter((bytes) => bytes.includes(secret)).length).toBe(0);
    }
  });
});

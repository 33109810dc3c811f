import { describe, expect, it } from 'vitest';
import type { Artifact } from '#resources/artifact/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { artifactFrame, statusFrame, taskFrame } from '../../harness/a2a-words.ts';
import { type Answer, stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';
import { sha256Of, storedContents, storedIn } from '../../harness/stored-contents.ts';
import { appendImage } from '../../harness/transcripts.ts';

const TEXT = 'what the agent made, '.repeat(15_000);
const PIXELS = Buffer.from('pixels that were uploaded');

describe('stored content that comes in a bundle', () => {
  const script: Record<string, Answer> = {};
  const config = {
    receipts: { issuer: 'harness_shared' },
    limits: { keep_alive_timeout_ms: 60_000 },
  };
  const a = stageOf({ config, agents: { scripted: () => startScriptedAgent(script) } });
  const b = stageOf({ config });

  /** A Session whose agent made one text twice, once in two chunks, and to which one image was uploaded twice. */
  async function sessionOf(client: typeof a.client, text = TEXT): Promise<string> {
    const { id } = await client.session();
    const half = text.length / 2;
    const whole = [artifactFrame(text, false, true)];
    const chunks = [artifactFrame(text.slice(0, half), false), artifactFrame(text.slice(half), true)];
    for (const frames of [whole, chunks]) {
      script['SendStreamingMessage'] = () =>
        stream(taskFrame('WORKING'), ...frames, statusFrame('COMPLETED'));
      const task = await client.submit('make', id, { route: 'a2a:scripted' });
      await client.until(task.id, 'COMPLETED');
    }
    for (let at = 0; at < 2; at += 1) await appendImage(client, id, PIXELS);
    return id;
  }

  async function exported(session_id: string): Promise<string> {
    const body = { session_id, mode: 'local', include_attachments: true };
    return (await a.client.call('POST', '/v1/bundles/export', { body })).text;
  }

  async function imported(bundle: string): Promise<string> {
    const answer = await b.client.call<{ workspace_id: string }>('POST', '/v1/bundles/import', {
      body: Buffer.from(bundle),
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.workspace_id;
  }

  const artifactsOf = async (session: string) =>
    (await b.client.get<{ data: Artifact[] }>(`/v1/artifacts?session_id=${session}`)).data;

  it('is stored once in the Workspace of the import, and read there as it was made', async () => {
    const id = await sessionOf(a.client);
    const bundle = await exported(id);
    const workspace = await imported(bundle);
    const { log } = b.gateway;
    expect(await storedIn(log, TEXT, workspace)).toEqual({ pieces: 2, references: 2 });
    expect(await storedIn(log, PIXELS, workspace)).toEqual({ pieces: 1, references: 2 });
    const before = await storedContents(log);
    expect(await imported(bundle)).toBe(workspace);
    expect(await storedContents(log)).toEqual(before);
    const artifacts = await artifactsOf(id);
    expect(artifacts).toHaveLength(2);
    for (const { id: artifact, sha256 } of artifacts) {
      const path = `/v1/artifacts/${artifact}/content`;
      expect(sha256).toBe(sha256Of(TEXT));
      for (const { client } of [a, b]) expect((await client.call('GET', path)).text).toBe(TEXT);
      const [here, there] = await Promise.all(
        [a, b].map(({ client }) => client.call('GET', `${path}?form=parts`)),
      );
      expect(there?.text).toBe(here?.text);
    }
  });

  it('is left out where it is not what its events say it is, and the rest is restored', async () => {
    const text = 'the other thing the agent made';
    const id = await sessionOf(a.client, text);
    const { metadata, ...bundle } = JSON.parse(await exported(id));
    const { manifest, ...unsigned } = metadata;
    const { pieces } = bundle.replay.run_record.harn_gateway;
    const content = pieces[0].content.replace('other', 'wrong');
    expect(content).not.toBe(pieces[0].content);
    pieces[0] = { ...pieces[0], content, sha256: `sha256:${sha256Of(content)}` };
    const workspace = await imported(JSON.stringify({ ...bundle, metadata: unsigned }));
    const answers = (await artifactsOf(id)).map(({ id: artifact }) =>
      b.client.call('GET', `/v1/artifacts/${artifact}/content`),
    );
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404]);
    const stored = [...(await storedContents(b.gateway.log)).keys()];
    const own = [text, PIXELS].map((bytes) => `${workspace}/${sha256Of(bytes)}`);
    expect(stored.filter((where) => where.startsWith(workspace))).toEqual(own.sort());
  });
});

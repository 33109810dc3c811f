import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { PACKAGE_ROOT } from '../faults/child-processes.ts';
import { AcpClient } from '../harness/acp-client.ts';
import type { TestEvent } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { recordedLines } from '../harness/recorded-frames.ts';
import { RecordedTalk } from '../harness/recorded-talk.ts';
import { eventsOf, replayOf } from '../harness/runs.ts';
import { RECORDED } from './recorded-agents.ts';

const FIXTURES = new URL('../../fixtures/wire/acp-agents/', import.meta.url).pathname;
const PLAYER = `${PACKAGE_ROOT}dist/test/harness/peers/recorded-agent.js`;
const names = Object.keys(RECORDED);

/** Events of a task as one word each; of tools the name is told, too. */
const WORDS: Readonly<Record<string, string>> = {
  'agent.message': 'said',
  'agent.reasoning_summary': 'thought',
  'tool.approval_required': 'asks',
  'vendor.harn_gateway.permission_requested': 'login',
  'tool.approved': 'yes',
  'tool.denied': 'no',
  'tool.completed': 'done',
  'tool.failed': 'failed',
  'task.completed': 'COMPLETED',
  'task.failed': 'FAILED',
  'task.canceled': 'CANCELED',
};

function storyOf(events: readonly TestEvent[]): string {
  const words = events.map(({ event, payload }) =>
    event === 'tool.requested' ? String(payload['name']).split(' ')[0] : WORDS[event],
  );
  return words.filter((word) => word !== undefined).join(' ');
}

describe('frames of real agents, played again behind the gateway', () => {
  let gateway: TestGateway;
  const dir = mkdtempSync(join(tmpdir(), 'harn-recorded-'));
  const open: AcpClient[] = [];

  beforeAll(async () => {
    const acp = names.map((name) => ({
      id: name.replaceAll('.', '-'),
      cwd: '/',
      command: [process.execPath, PLAYER, `${FIXTURES}${name}.ndjson`, join(dir, name)],
      // The agent is stopped between two prompts, as it was then.
      ...(name.endsWith('-again') ? { limits: { idle_stop_ms: 1 } } : {}),
    }));
    gateway = await startTestGateway({ config: { upstreams: { acp } } });
  });
  afterEach(() => {
    for (const client of open.splice(0)) client.close();
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function played(name: string): Promise<RecordedTalk> {
    const stopped = () => expect.poll(() => existsSync(join(dir, `${name}.ended`))).toBe(true);
    const talk = new RecordedTalk(recordedLines(`${FIXTURES}${name}.ndjson`), stopped);
    await talk.play(gateway.url, gateway.client.key, `acp:${name.replaceAll('.', '-')}`);
    open.push(talk.editor);
    return talk;
  }
  const eventsIn = (talk: RecordedTalk) => gateway.client.events(`/v1/sessions/${talk.sessionId}/events`);

  it('are there of every agent and story in the table', () => {
    const files = readdirSync(FIXTURES).filter((file) => file.endsWith('.ndjson'));
    expect(files.sort()).toEqual(names.map((name) => `${name}.ndjson`).sort());
  });

  it.each(Object.entries(RECORDED))('%s: %s', async (name, story) => {
    const talk = await played(name);
    // Everything is told as it came and in that order; what follows the last answer may still be on its way.
    const untold = async () => missing(talk.updates(), bodiesOf(await eventsIn(talk)));
    await expect.poll(untold).toEqual([]);
    expect(storyOf(await eventsIn(talk))).toBe(story);
    await expect.poll(() => missing(talk.updates().filter(isShown), editorSaw(talk.editor))).toEqual([]);
    expect(unannounced(editorSaw(talk.editor))).toEqual([]);
    expect(editorSaw(talk.editor).filter(hidesTheGateway)).toEqual([]);
    await asksAsTheAgentDid(talk);
    await loadsTheSame(talk);
    for (const { taskId } of talk.ends) await replays(taskId);
  });

  /** The options of the agent are kept as it gave them; the editor gets those that are for once. */
  async function asksAsTheAgentDid(talk: RecordedTalk): Promise<void> {
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/permission-requests?session_id=${talk.sessionId}`,
    );
    const asked = data.filter(({ request }) => request.kind === 'tool').toReversed();
    const given = talk.said('session/request_permission').map(({ params }) => objectOf(params)['options']);
    expect(asked.map(({ metadata }) => objectOf(metadata['acp'])['options'])).toEqual(given);
    const kinds = new Set(talk.editor.permissions.flatMap(({ options }) => options.map(({ kind }) => kind)));
    expect([...kinds].filter((kind) => kind.endsWith('_always'))).toEqual([]);
  }

  /** An editor that opens the session later gets what the first one got. */
  async function loadsTheSame(talk: RecordedTalk): Promise<void> {
    const second = await AcpClient.overSocket(gateway.url, gateway.client.key);
    open.push(second);
    await second.agent.request('session/load', { sessionId: talk.sessionId, cwd: '/', mcpServers: [] });
    const content = (client: AcpClient) => editorSaw(client).filter(isContent);
    expect(content(second)).toEqual(content(talk.editor));
  }

  async function replays(taskId: string): Promise<void> {
    const replay = await replayOf(gateway.client, taskId);
    const events = await eventsOf(gateway.client, replay.id);
    const completed = events.find(({ event }) => event === 'replay.completed');
    expect(completed?.payload['verdict'] ?? events).toMatchObject({ status: 'byte_equal' });
  }
});

function bodiesOf(events: readonly TestEvent[]): JsonObject[] {
  return events
    .filter(({ event }) => event === 'vendor.harn_gateway.agent_update')
    .map(({ payload }) => objectOf(objectOf(payload['update'] as JsonValue)['body']));
}

function editorSaw(editor: AcpClient): JsonObject[] {
  return editor.updates.map(({ update }) => update as unknown as JsonObject);
}

/** Of the first list what is not in the second, in the same order. */
function missing(expected: readonly JsonObject[], found: readonly JsonObject[]): JsonObject[] {
  let at = 0;
  return expected.filter((update) => {
    const next = found.findIndex((other, n) => n >= at && isSame(update, other));
    if (next >= 0) at = next + 1;
    return next < 0;
  });
}

/** Besides `_meta`, where the gateway adds its own, and terminals, which are told in words to whom did not make them. */
function isSame({ _meta: _, ...one }: JsonObject, { _meta: __, ...other }: JsonObject): boolean {
  const hasTerminal = objectsOf(one['content']).some(({ type }) => type === 'terminal');
  return isDeepStrictEqual({ ...one, ...(hasTerminal ? { content: other['content'] } : {}) }, other);
}

/** The options of the agent are told in one list with the gateway's. */
function isShown({ sessionUpdate }: JsonObject): boolean {
  return sessionUpdate !== 'config_option_update';
}

function hidesTheGateway({ sessionUpdate, configOptions }: JsonObject): boolean {
  const isList = sessionUpdate === 'config_option_update';
  return isList && !objectsOf(configOptions).some(({ id }) => id === 'agent');
}

function isContent({ sessionUpdate: kind }: JsonObject): boolean {
  return ['agent_message_chunk', 'tool_call', 'tool_call_update', 'plan'].includes(textOf(kind) ?? '');
}

/** Updates of tool calls that no `tool_call` was told of before: editors show those as a fault. */
function unannounced(updates: readonly JsonObject[]): JsonObject[] {
  const known = new Set<JsonValue | undefined>();
  return updates.filter(({ sessionUpdate, toolCallId }) => {
    if (sessionUpdate === 'tool_call') known.add(toolCallId);
    return sessionUpdate === 'tool_call_update' && !known.has(toolCallId);
  });
}

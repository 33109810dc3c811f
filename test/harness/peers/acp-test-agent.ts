import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { agent, RequestError, type SessionUpdate } from '@agentclientprotocol/sdk';

import {
  type AgentHost,
  CALL_SCENES,
  type Kept,
  MACHINE_SCENES,
  type Scene,
  type Stop,
  said,
  type Tell,
} from './acp-scenes.ts';

function isThere(file: string | undefined): boolean {
  return file !== undefined && existsSync(file);
}

let sentLate: Promise<void> | undefined;
const modes = new Map<string, string>();
const usages = new Map<string, { inputTokens: number; outputTokens: number; totalTokens: number }>();
let count = 0;

const SCENES: Record<string, (scene: Scene) => Promise<Stop>> = {
  async stream({ words, tell }) {
    for (let n = 1; n <= Number(words[1] ?? 3); n += 1) await tell(said(`piece ${n} `));
    return 'end_turn';
  },
  async slow({ words, tell, cancel }) {
    for (let n = 1; n <= Number(words[1] ?? 5); n += 1) {
      await tell(said(`step ${n} `));
      const isOver = await Promise.race([cancel.then(() => true), pause(100).then(() => false)]);
      if (isOver) return 'cancelled';
    }
    return 'end_turn';
  },
  async think({ tell }) {
    await tell({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Let me see.' } });
    await tell(said('Seen.'));
    return 'end_turn';
  },
  async ask({ client, session, tell }) {
    const answer = await client.request('elicitation/create', {
      sessionId: session.id,
      mode: 'form',
      message: 'Which colour?',
      requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
    });
    if (answer.action === 'cancel') return 'cancelled';
    await tell(said(`${answer.action} ${JSON.stringify('content' in answer ? answer.content : null)}`));
    return 'end_turn';
  },
  /** Asks for a visit to a page. */
  async visit({ words, client, session, tell }) {
    const { action } = await client.request('elicitation/create', {
      sessionId: session.id,
      mode: 'url',
      elicitationId: 'e-1',
      url: words[1] ?? '',
      message: 'Log in there.',
    });
    await tell(said(action));
    return 'end_turn';
  },
  async plan({ tell }) {
    const entries = [{ content: 'Look', priority: 'high' as const, status: 'pending' as const }];
    await tell({ sessionUpdate: 'plan', entries });
    await tell({
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ name: 'web', description: 'Search' }],
    });
    await tell({ sessionUpdate: 'usage_update', used: 10, size: 100 });
    await tell({ sessionUpdate: 'from_the_future', secret_of_tomorrow: 42 } as unknown as SessionUpdate);
    return 'end_turn';
  },
  /** Tells what its session cost so far, its unit, and tokens in and out of the turn. */
  async spend({ words, session, tell }) {
    const [, amount, currency = 'USD', inputTokens, outputTokens] = words;
    const cost = { amount: Number(amount), currency };
    await tell({ sessionUpdate: 'usage_update', used: 10, size: 100, cost });
    const read = { inputTokens: Number(inputTokens), outputTokens: Number(outputTokens) };
    usages.set(session.id, { ...read, totalTokens: read.inputTokens + read.outputTokens });
    return 'end_turn';
  },
  async files({ client, session, tell }) {
    const failure = await client
      .request('fs/read_text_file', { sessionId: session.id, path: '/etc/passwd' })
      .then(
        () => 'was read',
        (error: { code: number }) => `code ${error.code}`,
      );
    await tell(said(failure));
    return 'end_turn';
  },
  ...CALL_SCENES,
  ...MACHINE_SCENES,
  async hang({ cancel }) {
    await cancel;
    return 'cancelled';
  },
  /** Never lets go of its prompt. */
  stubborn: () => new Promise(() => undefined),
  async late({ tell }) {
    await tell(said('in time'));
    sentLate = pause(20).then(() => tell({ sessionUpdate: 'session_info_update', title: 'A late title' }));
    return 'end_turn';
  },
  /** Ends when what came after the last answer is told. */
  async settle() {
    await sentLate;
    return 'end_turn';
  },
  async die({ host }) {
    process.stderr.write('the disk is on fire\n');
    host.exit(3);
    return new Promise(() => undefined);
  },
  max: async () => 'max_tokens',
  refuse: async () => 'refusal',
  weird: async () => 'done' as Stop,
  async fail() {
    throw new RequestError(-32603, 'the model is not there');
  },
  /** Wants a login, for ever or until a file is there. */
  async login({ words, tell }) {
    if (!isThere(words[1])) throw RequestError.authRequired();
    await tell(said('logged in'));
    return 'end_turn';
  },
  /** Seven updates and a permission, the turn that speed is measured with. */
  async turn({ tell, client, session }) {
    const call = { toolCallId: 'call-1', title: 'Write', kind: 'edit' as const };
    await tell({ sessionUpdate: 'tool_call', ...call, status: 'pending' });
    await client.request('session/request_permission', {
      sessionId: session.id,
      toolCall: call,
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    });
    await tell({ sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: 'completed' });
    for (let n = 1; n <= 5; n += 1) await tell(said(`piece ${n} `));
    return 'end_turn';
  },
  async pid({ tell }) {
    await tell(said(String(process.pid)));
    return 'end_turn';
  },
  async big({ tell }) {
    const text = 'x'.repeat(1_000_000);
    await tell({ sessionUpdate: 'tool_call', toolCallId: 'big-1', title: 'Read all', kind: 'read' });
    await tell({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'big-1',
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text } }],
    });
    return 'end_turn';
  },
  /** Tells of everything that is large: its second word says how many bytes, its third one what. */
  async large({ words, tell, client, session }) {
    const [, bytes, what] = words;
    const text = 'x'.repeat(Number(bytes));
    const items = Array.from({ length: 50 }, (_, n) => ({ n, text: text.slice(0, Number(bytes) / 50) }));
    const call = { toolCallId: 'large-1', title: 'Read all', kind: 'read' as const };
    if (what === 'asked') {
      const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' as const }];
      const content = [{ type: 'content' as const, content: { type: 'text' as const, text } }];
      await client.request('session/request_permission', {
        sessionId: session.id,
        toolCall: { ...call, content },
        options,
      });
      return 'end_turn';
    }
    const updates: Record<string, SessionUpdate> = {
      commands: {
        sessionUpdate: 'available_commands_update',
        availableCommands: items.map(({ n, text: description }) => ({ name: `command-${n}`, description })),
      },
      plan: {
        sessionUpdate: 'plan',
        entries: items.map(({ text: content }) => ({ content, priority: 'high', status: 'pending' })),
      },
      title: { sessionUpdate: 'tool_call', ...call, title: text, rawInput: { text } },
      chunk: said(text),
      options: {
        sessionUpdate: 'config_option_update',
        configOptions: [
          {
            type: 'select',
            id: 'model',
            name: 'Model',
            currentValue: 'model-0',
            options: items.map(({ n, text: description }) => ({
              value: `model-${n}`,
              name: 'M',
              description,
            })),
          },
        ],
      },
    };
    const update = updates[what ?? ''];
    if (update !== undefined) await tell(update);
    await tell(said(' after it'));
    return 'end_turn';
  },
  async history({ session, tell }) {
    await tell(said(`I know ${session.turns.length - 1} turns`));
    return 'end_turn';
  },
  async env({ words, tell }) {
    await tell(said(String(process.env[words[1] ?? ''])));
    return 'end_turn';
  },
  async cwd({ session, tell }) {
    await tell(said([session.cwd, ...(session.more ?? [])].join(' ')));
    return 'end_turn';
  },
  async mode({ session, tell }) {
    await tell(said(String(modes.get(session.id))));
    return 'end_turn';
  },
};

/**
 * An ACP agent built with the official SDK, for a connection on any stream. The first word of a prompt says what it does.
 * Flags: `--sessions DIR` keeps its sessions (else `session/load` is not offered),
 * `--exclusive` refuses one that it, or another process, has open, `--closes` offers `session/close`, `--resumes` offers
 * `session/resume` and does not serve it, `--http` takes MCP servers over HTTP, `--locked [FILE]` wants a login until the file is
 * there.
 */
export function acpTestAgent(flags: readonly string[], host: AgentHost) {
  const has = (flag: string) => flags.includes(flag);
  const sessionsDir = flags[flags.indexOf('--sessions') + 1];
  const keeps = has('--sessions') && sessionsDir !== undefined;

  const sessions = new Map<string, Kept>();
  const cancelled = new Map<string, () => void>();

  function keep(session: Kept): void {
    sessions.set(session.id, session);
    if (!keeps) return;
    mkdirSync(sessionsDir, { recursive: true });
    writeFileSync(join(sessionsDir, `${session.id}.json`), JSON.stringify(session));
  }

  /** The process that has a session open, as long as that lives. */
  function ownerOf(id: string): number | undefined {
    const file = join(sessionsDir ?? '', `${id}.open`);
    if (!keeps || !existsSync(file)) return undefined;
    const pid = Number(readFileSync(file, 'utf8'));
    try {
      process.kill(pid, 0);
      return pid;
    } catch {
      return undefined;
    }
  }

  function own(id: string): void {
    if (!has('--exclusive') || !keeps) return;
    if (ownerOf(id) !== undefined) throw new RequestError(-32603, 'Session is already open');
    mkdirSync(sessionsDir, { recursive: true });
    writeFileSync(join(sessionsDir, `${id}.open`), String(process.pid));
  }

  function known(id: string): Kept {
    const file = keeps ? join(sessionsDir, `${id}.json`) : undefined;
    const stored = file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : undefined;
    const session = sessions.get(id) ?? stored;
    if (!session) throw RequestError.sessionNotFound(id);
    sessions.set(id, session);
    return session;
  }

  return agent({ name: 'test-agent' })
    .onRequest('initialize', () => ({
      protocolVersion: 1,
      agentInfo: { name: 'test-agent', title: process.env['AGENT_TITLE'] ?? 'Test agent', version: '1.2.3' },
      agentCapabilities: {
        loadSession: keeps,
        promptCapabilities: { embeddedContext: true, image: true },
        mcpCapabilities: { http: has('--http') },
        sessionCapabilities: {
          additionalDirectories: {},
          ...(has('--closes') ? { close: {} } : {}),
          ...(has('--resumes') ? { resume: {} } : {}),
        },
      },
      authMethods: [{ id: 'browser', name: 'Browser login' }],
    }))
    .onRequest('session/new', ({ params }) => {
      if (has('--locked') && !isThere(flags[flags.indexOf('--locked') + 1]))
        throw RequestError.authRequired();
      count += 1;
      const id = `s-${process.pid}-${count}`;
      const { cwd, additionalDirectories: more = [], mcpServers: servers } = params;
      own(id);
      keep({ id, cwd, more, turns: [], servers });
      const availableModes = [
        { id: 'ask', name: 'Ask' },
        { id: 'code', name: 'Code' },
      ];
      return { sessionId: id, modes: { currentModeId: 'ask', availableModes } };
    })
    .onRequest('session/load', async ({ params, client }) => {
      own(params.sessionId);
      const session = known(params.sessionId);
      for (const text of session.turns) {
        const update = {
          sessionUpdate: 'user_message_chunk' as const,
          content: { type: 'text' as const, text },
        };
        await client.notify('session/update', { sessionId: session.id, update });
      }
      return {};
    })
    .onRequest('session/close', ({ params }) => {
      if (!has('--closes')) throw RequestError.methodNotFound('session/close');
      sessions.delete(params.sessionId);
      rmSync(join(sessionsDir ?? '', `${params.sessionId}.open`), { force: true });
      return {};
    })
    .onRequest('session/set_mode', ({ params }) => {
      modes.set(params.sessionId, params.modeId);
      return {};
    })
    .onRequest('session/prompt', async ({ params, client }) => {
      const session = known(params.sessionId);
      const text = params.prompt
        .map((block) => (block.type === 'text' ? block.text : `<${block.type}>`))
        .join('\n');
      session.turns.push(text);
      keep(session);
      const line = text.split('\n').at(-1) ?? '';
      const words = line.split(' ');
      const cancel = new Promise<void>((resolve) => cancelled.set(session.id, resolve));
      const tell: Tell = (update) => client.notify('session/update', { sessionId: session.id, update });
      const scene = SCENES[words[0] ?? ''];
      if (!scene) await tell(said(`You said: ${line}`, `m-${session.turns.length}`));
      const stopReason = scene
        ? await scene({ words, session, client, tell, cancel, host })
        : ('end_turn' as const);
      const usage = usages.get(session.id);
      usages.delete(session.id);
      return { stopReason, ...(usage === undefined ? {} : { usage }) };
    })
    .onNotification('session/cancel', ({ params }) => cancelled.get(params.sessionId)?.());
}

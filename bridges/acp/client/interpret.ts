import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import { MODEL_POLICY_NOTE } from '#protocol/model-policy.ts';
import { type Failure, isTerminal } from '#protocol/task-states.ts';
import type { Move, PermissionDraft, Seen } from '#protocol-client.ts';
import type { PolicyDecided } from '#resources/policy/events.ts';
import { OPTIONS_REFUSED } from '../../../mappings/acp/config-options.ts';
import { decodeBlocks } from '../../../mappings/acp/content.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import { HOST_METHODS, isHostMethod } from '../../../mappings/acp/host-methods.ts';
import { decodeOptions, ELICITATION_METHOD, subjectOf } from '../../../mappings/acp/permission-answers.ts';
import { statusOfStop } from '../../../mappings/acp/stop-reasons.ts';
import { TOOL_STATUSES } from '../../../mappings/acp/tool-calls.ts';
import { updateRow } from '../../../mappings/acp/update-kinds.ts';
import { USAGE_UPDATE } from '../../../mappings/acp/usage-words.ts';
import { interpreter, recordIn } from '../../wire/turn.ts';
import { LOGIN_WANTED } from './faults.ts';
import { boundSession, turnUsageMoves, usageMoves } from './interpret-usage.ts';
import type { AcpRecord, DeniedCall, SessionRecord, ToolFacts } from './record.ts';

type Interpret<Op extends AcpRecord['op']> = (record: Extract<AcpRecord, { op: Op }>, seen: Seen) => Move[];

const MOVES: { readonly [Op in AcpRecord['op']]: Interpret<Op> } = {
  session: sessionMoves,
  update: interpretUpdate,
  said: saidMoves,
  asked: interpretAsked,
  withdrawn: ({ key }) => [
    { type: 'permission_closed', upstreamId: key, approved: false, reason: 'withdrawn_by_agent' },
  ],
  host_asked: interpretHostAsked,
  host_answered: interpretHostAnswered,
  refused: ({ message }) => [
    {
      type: 'note',
      note: 'request_refused',
      details: { method: textOf(message['method'])?.slice(0, 200) ?? null },
    },
  ],
  answer: answerMoves,
  options_refused: refusedMoves,
  model_policy: ({ provider, model, told, unmet }) => [
    { type: 'note', note: MODEL_POLICY_NOTE, details: { provider, model, told, unmet } },
  ],
  inputs: ({ names, outcome, code, message }) => [
    {
      type: 'note',
      note: `session_inputs_${outcome}`,
      details: {
        names,
        ...(code === undefined ? {} : { code }),
        ...(message === undefined ? {} : { message }),
      },
    },
  ],
  unheard: ({ max_updates, max_bytes }) => {
    const details = { max_updates, max_bytes };
    return [{ type: 'note', note: 'between_turns_limit', details, betweenTurns: true }];
  },
  unsent: (_, { status }) =>
    isTerminal(status)
      ? []
      : [
          { type: 'note', note: 'prompt_not_sent' },
          { type: 'status', to: 'CANCELED' },
        ],
};

/** What a frame means, by the tables of mappings/acp. Pure: the same frame and the same past give the same moves. */
export const interpret = interpreter<AcpRecord>({
  peer: 'agent',
  read: ({ body }) => asRecord(body),
  moves: (record, seen) => MOVES[record.op](record as never, seen),
  fault: ({ code, message, details }, seen) =>
    code === 'auth_required' ? loginMoves(message, details, seen) : undefined,
});

/** The record in a frame body; undefined for anything else. */
export function asRecord(body: JsonValue): AcpRecord | undefined {
  return recordIn<'op', AcpRecord>(body, 'op', MOVES);
}

/** Ids are kept; how a session was opened is noted, with what it begins with. */
function sessionMoves(record: SessionRecord, seen: Seen): Move[] {
  const { how, session_id, history, lost, replayed_updates } = record;
  const sessionBinding = boundSession(record, seen);
  const bind: Move = { type: 'bind', binding: { session_id }, sessionBinding };
  if (how === 'open') return [bind, ...serversNote('mcp_servers_late', record.late_mcp_servers)];
  const details: JsonObject = {
    how,
    ...(replayed_updates === undefined ? {} : { replayed_updates }),
    ...(history === undefined ? {} : { history_told_again: history }),
    ...(lost === undefined ? {} : { own_session_lost: lost }),
    ...(record.refused_ways === undefined ? {} : { refused_ways: record.refused_ways }),
    ...(record.mcp_servers === undefined ? {} : { mcp_servers: record.mcp_servers }),
  };
  const directories = record.unused_directories;
  const elsewhere: Move[] =
    directories === undefined
      ? []
      : [{ type: 'note', note: 'client_directories_unused', details: { directories } }];
  const note: Move = { type: 'note', note: 'agent_session', details };
  const unused = serversNote('mcp_servers_unused', record.unused_mcp_servers);
  return [bind, note, ...unused, ...elsewhere, ...beginnings(objectOf(record.result))];
}

function serversNote(note: string, names: string[] | undefined): Move[] {
  return names === undefined ? [] : [{ type: 'note', note, details: { names } }];
}

/** The Session keeps what is refused now: what the client chose does not hold there. */
function refusedMoves({ options, news }: Extract<AcpRecord, { op: 'options_refused' }>): Move[] {
  const notes = options
    .filter(({ name }) => news.includes(name))
    .map(({ name, value, code, message }): Move => {
      return { type: 'note', note: 'option_refused', details: { option: name, value, code, message } };
    });
  const refused = Object.fromEntries(options.map(({ name, value, message }) => [name, { value, message }]));
  const body = { sessionUpdate: OPTIONS_REFUSED, refused };
  const kept = { protocol: 'acp', kind: OPTIONS_REFUSED, body, visibility: 'public' as const };
  return [...notes, { type: 'update', update: { ...kept, about: 'session' } }];
}

/** Modes and options that the session begins with. */
function beginnings(result: JsonObject): Move[] {
  return ['modes', 'configOptions', 'models'].flatMap((kind): Move[] => {
    const value = result[kind];
    if (!isObject(value) && !Array.isArray(value)) return [];
    const body = { sessionUpdate: kind, [kind]: value };
    return [
      { type: 'update', update: { protocol: 'acp', kind, body, about: 'session', visibility: 'public' } },
    ];
  });
}

type Said = Extract<AcpRecord, { op: 'said' }>;

function saidMoves({ voice, id, blocks }: Said): Move[] {
  const parts = decodeBlocks(blocks);
  if (parts.length === 0 || voice === 'user') return [];
  if (voice === 'thought') {
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }
  const metadata = { acp: { streamed: true } };
  const named = id === undefined ? {} : { upstreamId: id };
  return [{ type: 'message', message: { ...named, role: 'agent', parts, metadata } }];
}

type Answer = Extract<AcpRecord, { op: 'answer' }>;

function answerMoves(answer: Answer, seen: Seen): Move[] {
  if (answer.superseded) return [{ type: 'note', note: 'interrupted_turn_answered' }];
  if (isTerminal(seen.status))
    return [{ type: 'note', note: 'late_result', details: { answer: 'session/prompt' } }];
  return [...(answer.denied_calls ?? []).flatMap(deniedMoves), ...endOfTurn(answer, seen)];
}

/** A call that was not allowed has failed, also where the agent leaves it as it was. */
function deniedMoves({ id: toolCallId, name }: DeniedCall): Move[] {
  const message = `The agent's tool ${name} was not allowed.`;
  const failure = { code: 'tool_denied', message, type: 'permission_error' };
  return [
    ownUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' }),
    { type: 'tool', tool: { toolCallId: toolCallId.slice(0, 512), name, step: 'failed', failure } },
  ];
}

function endOfTurn({ result, error, auth_methods: ways, model_calls }: Answer, seen: Seen): Move[] {
  if (error !== undefined && ways !== undefined)
    return loginMoves(LOGIN_WANTED, { auth_methods: ways }, seen);
  if (error !== undefined) return errorMoves(objectOf(error));
  const stop = objectOf(result);
  const raw = textOf(stop['stopReason']) ?? '';
  const { status, failure } = statusOfStop(raw);
  const metadata = {
    acp: { stop_reason: raw.slice(0, 200), ...memberOf(stop, 'usage'), ...memberOf(stop, '_meta') },
  };
  return [
    ...turnUsageMoves(stop, model_calls, seen),
    { type: 'status', to: status, metadata, ...(failure === undefined ? {} : { failure }) },
  ];
}

function memberOf(stop: JsonObject, name: string): JsonObject {
  const value: JsonValue | undefined = stop[name];
  return isObject(value) ? { [name]: value } : {};
}

/** Only a refused credential is a login; everything else failed. Spec: ACP v1, error codes. */
function errorMoves(error: JsonObject): Move[] {
  const code = typeof error['code'] === 'number' ? error['code'] : ACP_ERRORS.internal_error;
  const words = textOf(error['message'])?.slice(0, 2_000) ?? 'The agent failed without a reason.';
  const metadata = { acp: { error: { code, message: words } } };
  if (code === ACP_ERRORS.request_cancelled) return [{ type: 'status', to: 'CANCELED', metadata }];
  if (code === ACP_ERRORS.auth_required) return [{ type: 'status', to: 'AUTH_REQUIRED', metadata }];
  const failure: Failure = { code: 'agent_error', message: words, type: 'upstream_error', details: { code } };
  return [{ type: 'status', to: 'FAILED', failure, metadata }];
}

/**
 * There is no page to visit: the words say where and how, and an approval says that it is done. The agent took nothing of the
 * prompt, so it gets it again.
 */
function loginMoves(message: string, details: JsonObject | undefined, seen: Seen): Move[] {
  if (seen.status === 'AUTH_REQUIRED') return [];
  const patch = { acp: { ...details, auth_message: message } };
  const methods = details?.['auth_methods'];
  const ways = Array.isArray(methods) && methods.length > 0 ? ` It offers: ${methods.join(', ')}.` : '';
  const ask = { kind: 'authorization' as const, source: 'acp' as const, message: `${message}${ways}` };
  return [
    { type: 'metadata', patch },
    { type: 'permission', permission: { ...ask, resends: true } },
  ];
}

type Update = Extract<AcpRecord, { op: 'update' }>;

const MAX_KIND = 100;
const MAX_CALL_ID = 512;

/**
 * An update is logged as it came, whatever its kind; what Harn has words for is said in those too. Of a task that has ended it
 * changes nothing.
 */
function interpretUpdate({ message, tool, between_turns, mended }: Update, seen: Seen): Move[] {
  const body = objectOf(objectOf(message['params'])['update']);
  const kind = (textOf(body['sessionUpdate']) ?? 'unknown').slice(0, MAX_KIND);
  const row = updateRow(kind);
  const live = {
    type: 'update' as const,
    update: {
      protocol: 'acp',
      kind,
      body,
      about: row.home === 'session' ? ('session' as const) : ('turn' as const),
      visibility: row.visibility,
    },
  };
  if (between_turns && isTerminal(seen.status)) return [{ ...live, betweenTurns: true }];
  const between: Move[] = between_turns
    ? [{ type: 'note', note: 'came_between_turns', details: { kind } }]
    : [];
  const lossy: Move[] =
    mended === undefined ? [] : [{ type: 'note', note: 'update_mended', details: { kind, mended } }];
  const onTask: Move[] = row.onTask ? [{ type: 'metadata', patch: { acp: { [kind]: kept(body) } } }] : [];
  const tools =
    tool === undefined
      ? []
      : [...toolMoves(body, tool), ...diffMoves(body, seen), ...printedMoves(body, tool)];
  const usage = kind === 'usage_update' ? usageMoves(USAGE_UPDATE, body, seen) : [];
  return [...between, ...lossy, ...unheardMoves(body, tool), live, ...onTask, ...usage, ...tools];
}

function kept(update: JsonObject): JsonObject {
  const { sessionUpdate: _kind, ...rest } = update;
  return rest;
}

/** The id of a tool call in a session. */
function callIdOf(call: JsonObject): string | undefined {
  return textOf(call['toolCallId'])?.slice(0, MAX_CALL_ID);
}

function toolMoves(body: JsonObject, facts: ToolFacts): Move[] {
  const { name } = facts;
  const toolCallId = callIdOf(body);
  if (toolCallId === undefined) return [{ type: 'note', note: 'tool_without_id' }];
  const begun = requested(body, facts);
  const found = TOOL_STATUSES.decode(textOf(body['status']) ?? 'pending');
  const phase = found.known ? found.word : 'requested';
  if (phase === 'completed') {
    return [
      ...begun,
      { type: 'tool', tool: { toolCallId, name, step: 'completed', output: outputOf(body, facts) } },
    ];
  }
  if (phase !== 'failed') return begun;
  const failure = { code: 'tool_failed', message: `The agent's tool ${name} failed.`, type: 'runtime_error' };
  return [
    ...begun,
    { type: 'tool', tool: { toolCallId, name, step: 'failed', failure, output: outputOf(body, facts) } },
  ];
}

/** Clients take an update of a call only after the call itself. */
function unheardMoves(call: JsonObject, tool: ToolFacts | undefined): Move[] {
  if (tool?.isUnheard !== true || callIdOf(call) === undefined) return [];
  const begin = { title: tool.name, ...call, status: 'pending', sessionUpdate: 'tool_call' };
  return [ownUpdate(begin)];
}

/** The begin of a call, when its update or question is the one that begins it. */
function requested(call: JsonObject, { name, isNew, input }: ToolFacts): Move[] {
  const toolCallId = callIdOf(call);
  if (!isNew || toolCallId === undefined) return [];
  const given = input ?? call['rawInput'] ?? null;
  return [{ type: 'tool', tool: { toolCallId, name, step: 'requested', input: given } }];
}

function outputOf(body: JsonObject, { printed }: ToolFacts): JsonValue {
  return body['rawOutput'] ?? body['content'] ?? printed ?? null;
}

/** What a command of the agent printed is content for clients that know no terminals of agents. */
function printedMoves(body: JsonObject, { printed }: ToolFacts): Move[] {
  const { toolCallId = null, content } = body;
  if (printed === undefined || content !== undefined) return [];
  const shown = [{ type: 'content', content: { type: 'text', text: printed } }];
  return [ownUpdate({ sessionUpdate: 'tool_call_update', toolCallId, content: shown })];
}

/** An update that the gateway puts beside the agent's own. */
function ownUpdate(body: JsonObject): Move {
  const kind = textOf(body['sessionUpdate']) ?? '';
  return { type: 'update', update: { protocol: 'acp', kind, body, about: 'turn', visibility: 'public' } };
}

/** A change of a file is an Artifact of its own, once per place in the call. */
function diffMoves(body: JsonObject, seen: Seen): Move[] {
  const call = textOf(body['toolCallId']) ?? '';
  return objectsOf(body['content']).flatMap((content, at): Move[] => {
    if (content['type'] !== 'diff') return [];
    const upstreamId = `diff:${call}:${at}`.slice(0, 512);
    const path = textOf(content['path']);
    if (seen.artifactParts(upstreamId) !== undefined || path === undefined) return [];
    const { oldText = null, newText = '' } = content;
    const value = { path, old_text: oldText, new_text: newText };
    const artifact = {
      upstreamId,
      name: path.slice(-512),
      parts: [{ type: 'json' as const, value, visibility: 'public' as const }],
      append: false,
      lastChunk: true,
      metadata: { acp: { tool_call_id: call.slice(0, 512), kind: 'diff', ...meta(content) } },
    };
    return [{ type: 'artifact', artifact }];
  });
}

function meta(content: JsonObject): JsonObject {
  return isObject(content['_meta']) ? { _meta: content['_meta'] } : {};
}

type Asked = Extract<AcpRecord, { op: 'asked' }>;

/** What an agent asks becomes a permission request that a client of any protocol can answer. */
function interpretAsked(asked: Asked, seen: Seen): Move[] {
  const { key, message, remembers, remembered } = asked;
  const params = objectOf(message['params']);
  if (message['method'] === ELICITATION_METHOD)
    return [{ type: 'permission', permission: elicitation(key, params) }];
  const permission = {
    ...approval(asked, params),
    options: decodeOptions(message, remembers),
    ...(remembers ? { subject: subjectOf(message) } : {}),
    ...(remembered === undefined ? {} : { remembered }),
  };
  return [...callMoves(asked, seen), { type: 'permission', permission }];
}

/** A call that nothing was said of before begins like one that an update begins. */
function callMoves({ message, tool }: Asked, seen: Seen): Move[] {
  const call = objectOf(objectOf(message['params'])['toolCall']);
  if (tool === undefined || callIdOf(call) === undefined) return [];
  return [...unheardMoves(call, tool), ...requested(call, tool), ...diffMoves(call, seen)];
}

function approval({ key, tool }: Asked, params: JsonObject): PermissionDraft {
  const call = objectOf(params['toolCall']);
  const title = textOf(call['title']) ?? textOf(call['name']) ?? textOf(call['kind']) ?? 'a tool';
  const input = call['rawInput'];
  return {
    upstreamId: key,
    kind: 'tool',
    source: 'acp',
    message: title,
    toolCall: {
      tool_call_id: (textOf(call['toolCallId']) ?? key).slice(0, 512),
      name: (textOf(call['name']) ?? tool?.name ?? title).slice(0, 200),
      ...(input === undefined ? {} : { input }),
    },
    // The whole call and the options as they came, for clients that speak ACP.
    metadata: { acp: { tool_call: call, options: objectsOf(params['options']) } },
  };
}

/** A page to visit is an authorization; a form is a question. */
function elicitation(key: string, params: JsonObject): PermissionDraft {
  const asked = {
    upstreamId: key,
    source: 'acp' as const,
    message: textOf(params['message']) ?? 'The agent asks for input.',
    metadata: { acp: { mode: params['mode'] ?? 'form' } },
  };
  const url = textOf(params['url']);
  if (params['mode'] === 'url' && url !== undefined) return { ...asked, kind: 'authorization', url };
  const schema = params['requestedSchema'];
  return { ...asked, kind: 'elicitation', ...(isObject(schema) ? { requestedSchema: schema } : {}) };
}

type HostAsked = Extract<AcpRecord, { op: 'host_asked' }>;
type HostAnswered = Extract<AcpRecord, { op: 'host_answered' }>;

/** What the agent does at its client's machine is a tool call; a terminal is one call from its start to its end. */
function interpretHostAsked({ key, message, decided }: HostAsked): Move[] {
  const method = textOf(message['method']) ?? '';
  if (!isHostMethod(method)) return [];
  const { step, sideEffect } = HOST_METHODS[method];
  if (step !== 'call' && step !== 'begin') return [];
  const { sessionId: _, ...input } = objectOf(message['params']);
  const call = { toolCallId: key, name: method };
  const requested: Move = { type: 'tool', tool: { ...call, step: 'requested', input, sideEffect } };
  if (decided === undefined) return [requested];
  const policy: Move = { type: 'policy', decided };
  return decided.effect === 'ask' ? [requested, policy, question(call, input, decided)] : [requested, policy];
}

/** The agent waits for the answer, as it does for one to a question of its own. */
function question(
  { toolCallId, name }: { toolCallId: string; name: string },
  input: JsonObject,
  { because, rule }: PolicyDecided,
): Move {
  const { path, command } = input;
  const what = textOf(path) ?? textOf(command);
  return {
    type: 'permission',
    permission: {
      upstreamId: toolCallId,
      kind: 'tool',
      source: 'hitl',
      message: `${because} May ${what === undefined ? name : `${name} ${what.slice(0, 500)}`} be done?`,
      toolCall: { tool_call_id: toolCallId, name, input },
      metadata: { policy: { rule } },
    },
  };
}

function interpretHostAnswered({ method, result, error, ends, wrote }: HostAnswered): Move[] {
  if (ends === undefined) return [];
  // A terminal is called by the request that made it.
  const name = HOST_METHODS[method].capability === 'terminal' ? 'terminal/create' : method;
  const call = { toolCallId: ends, name };
  if (error !== undefined) {
    const { message } = objectOf(error);
    const failure = {
      code: 'tool_failed',
      message: `The editor refused ${method}: ${textOf(message)?.slice(0, 500) ?? 'no reason'}`,
      type: 'runtime_error',
    };
    return [{ type: 'tool', tool: { ...call, step: 'failed', failure } }];
  }
  const ended: Move = { type: 'tool', tool: { ...call, step: 'completed', output: result ?? null } };
  return wrote === undefined ? [ended] : [ended, { type: 'file_written', file: wrote }];
}

import { ERROR_CODES } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { type Failure, isBlocked, isTerminal } from '#protocol/task-states.ts';
import type { Frame, Move, Seen } from '#upstream.ts';
import { OPTIONS_REFUSED } from '../../../mappings/acp/config-options.ts';
import { decodeBlocks } from '../../../mappings/acp/content-in.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import { isObject, objectOf, textOf } from '../../../mappings/acp/json-shape.ts';
import { statusOfStop } from '../../../mappings/acp/stop-reasons.ts';
import { interpretAsked } from './interpret-asked.ts';
import { interpretHostAnswered, interpretHostAsked } from './interpret-host.ts';
import { interpretUpdate, ownUpdate } from './interpret-update.ts';
import { boundSession, turnUsageMoves } from './interpret-usage.ts';
import { LOGIN_WANTED } from './login-ways.ts';
import { type AcpRecord, asRecord, type DeniedCall, type SessionRecord } from './record.ts';

/** What a frame means, by the tables of mappings/acp. Pure: the same frame and the same past give the same moves. */
export function interpret(frame: Frame, seen: Seen): Move[] {
  if (frame.kind === 'fault') return faultMoves(frame, seen);
  if (frame.kind === 'end') return endMoves(seen);
  const record = asRecord(frame.body);
  if (record === undefined) return [{ type: 'note', note: 'not_a_record' }];
  return MOVES[record.op](record as never, seen);
}

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

/** Ids are kept; a session that was not simply open is told, with what it begins with. */
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
    acp: { stop_reason: raw.slice(0, 200), ...told(stop, 'usage'), ...told(stop, '_meta') },
  };
  return [
    ...turnUsageMoves(stop, model_calls, seen),
    { type: 'status', to: status, metadata, ...(failure === undefined ? {} : { failure }) },
  ];
}

function told(stop: JsonObject, name: string): JsonObject {
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

type FaultFrame = Extract<Frame, { kind: 'fault' }>;

function faultMoves({ code, message, details }: FaultFrame, seen: Seen): Move[] {
  if (isTerminal(seen.status)) return [{ type: 'note', note: 'late_result', details: { fault: code } }];
  if (code === 'auth_required') return loginMoves(message, details, seen);
  const known = Object.hasOwn(ERROR_CODES, code)
    ? ERROR_CODES[code as keyof typeof ERROR_CODES].type
    : undefined;
  const type = known === undefined || known === 'request_error' ? 'upstream_error' : known;
  const failure: Failure = { code, message, type, ...(details === undefined ? {} : { details }) };
  return [{ type: 'status', to: 'FAILED', failure }];
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

/** The agent is gone without an answer: work that was under way has no result. */
function endMoves({ status }: Seen): Move[] {
  if (isTerminal(status) || isBlocked(status)) return [];
  const message = 'The agent ended without a result.';
  return [
    {
      type: 'status',
      to: 'FAILED',
      failure: { code: 'upstream_unavailable', message, type: 'upstream_error' },
    },
  ];
}

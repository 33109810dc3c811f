import type { JsonObject } from '#protocol/json.ts';
import { isObject, objectOf } from '#protocol/json-shape.ts';
import type { OutboundMessage, Turn } from '#protocol-client.ts';
import {
  type ModelWish,
  OPTIONS_REFUSED,
  wishesOfModel,
  wishOf,
} from '../../../mappings/acp/config-options.ts';
import { encodePart, type Takes } from '../../../mappings/acp/content.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { unavailable } from '../../wire/faults.ts';
import { isDoneWithin } from '../../wire/waits.ts';
import { faultOf, loginWays } from './faults.ts';
import { beginningOf, openSession, type SessionOpener } from './open-session.ts';
import type { PromptTurn } from './prompt-turn.ts';
import type { AcpRecord } from './record.ts';
import type { AgentSession } from './session.ts';
import { AgentInputs, tellingOf } from './session-inputs.ts';
import { beginTraced } from './traced-request.ts';

/** The prompt that was sent; or what is recorded of one that was not, because its task was cancelled before. */
type Prepared = { prompt: PromptTurn } | { unsent: AcpRecord[] };

type Preparing = SessionOpener & {
  deps: BridgeDeps;
  /** Inputs that the agent is to have in its environment, and cannot be given now. */
  lateInputs: readonly string[];
};

/**
 * Opens the session, lets the prompt before this one end, and sends the prompt. A late cancel of the former cannot hit the
 * latter, because it is sent only when the agent has answered the former. What came before the prompt is the first of its
 * frames. Throws Fault.
 */
export async function preparePrompt(
  opener: Preparing & { offered(offers: JsonObject): void },
  turn: Turn,
  signal: AbortSignal,
): Promise<Prepared> {
  const isLeft = () => signal.aborted || turn.isCanceled();
  if (isLeft()) return { unsent: [{ op: 'unsent' }] };
  const session = await openSession(opener, turn);
  opener.offered(session.offers);
  const { betweenTurns, current: former } = session;
  await betweenTurns.hold();
  try {
    const superseded = isLeft() ? [] : await endFormer(opener, session, turn.taskId);
    const refused = isLeft() ? [] : await applyWishes(opener, session, turn);
    const told = isLeft() ? [] : await tellInputs(opener, session, turn);
    if (!isLeft()) return { prompt: sendPrompt(opener, session, turn, [...superseded, ...refused, ...told]) };
    // What was opened is kept for the next prompt.
    betweenTurns.release(former?.taskId);
    return { unsent: [...superseded, { op: 'unsent' }] };
  } catch (error) {
    betweenTurns.release(former?.taskId);
    throw error;
  }
}

function sendPrompt(
  { connection, limits, host, config }: SessionOpener,
  session: AgentSession,
  turn: Turn,
  before: readonly AcpRecord[],
): PromptTurn {
  const { record, preface } = beginningOf(session, turn);
  const blocks = blocksOf(turn.message, preface, takesOf(connection.capabilities));
  const sessionId = session.id;
  const parts = {
    taskId: turn.taskId,
    maxBytes: limits.max_turn_bytes,
    sendCancel: () => connection.notify('session/cancel', { sessionId }),
    host,
    judge: turn.judge,
    remembers: turn.remembers,
  };
  connection.opening.delete(turn.sessionId);
  const prompt = session.begin(parts, [record, ...before]);
  const traced = beginTraced(turn, config, 'session/prompt');
  connection.request('session/prompt', traced.params({ sessionId, prompt: blocks }), {
    resolve: (answer) => {
      traced.answered(answer);
      prompt.finish(answer, loginWays(answer, connection));
    },
    reject: (why) => {
      const fault = faultOf(why);
      traced.failed(fault);
      prompt.fail(fault);
    },
  });
  return prompt;
}

/** The prompt before this one, interrupted or cancelled and not answered yet; its answer is recorded, and moves nothing. */
async function endFormer(
  { connection, limits, deps }: SessionOpener & { deps: BridgeDeps },
  session: AgentSession,
  taskId: string,
): Promise<AcpRecord[]> {
  const former = session.current;
  if (former === undefined) return [];
  if (!former.isOver) {
    former.cancel();
    const isOver = await isDoneWithin(former.ended, limits.cancel_grace_ms, deps.timers);
    if (!isOver) throw await wedged(connection, session);
  }
  if (former.taskId !== taskId) return [];
  return former.frames.drain().flatMap((frame): AcpRecord[] => {
    const body = frame.kind === 'message' ? objectOf(frame.body) : {};
    return body['op'] === 'answer' ? [{ ...body, op: 'answer', superseded: true } as AcpRecord] : [];
  });
}

/** An agent that does not let go of a cancelled prompt is ended when it works for nobody else; its session is left alone. */
async function wedged(connection: SessionOpener['connection'], session: AgentSession) {
  connection.sessions.delete(session.id);
  if (!connection.busyBeside(session)) await connection.close();
  return unavailable(
    'wedged',
    'The agent does not answer the prompt that was cancelled before this one. Send this one again.',
  );
}

function takesOf(capabilities: JsonObject): Takes {
  const prompts = objectOf(capabilities['promptCapabilities']);
  return {
    image: prompts['image'] === true,
    audio: prompts['audio'] === true,
    embeddedContext: prompts['embeddedContext'] === true,
  };
}

function blocksOf(
  message: OutboundMessage | undefined,
  preface: string | undefined,
  takes: Takes,
): JsonObject[] {
  if (message === undefined) throw unavailable('no_message', 'The turn has no message to send.');
  const blocks = message.parts.map((part) => encodePart(part, message.artifacts, takes)).filter(isObject);
  return preface === undefined ? blocks : [{ type: 'text', text: preface }, ...blocks];
}

/** Characters that are kept of an agent's reason. */
const MAX_REASON = 2_000;

/**
 * Sends the agent the mode and the options that a client chose for the Session, once. What it refuses stays as it was there:
 * the record says so when the Session does not know it yet. Throws Fault.
 */
async function applyWishes(
  { connection, limits }: SessionOpener,
  session: AgentSession,
  turn: Turn,
): Promise<AcpRecord[]> {
  const chosen = objectOf(objectOf(turn.sessionMetadata['acp_client'])['wanted']);
  const wished = turn.modelPolicy && wishesOfModel(turn.modelPolicy, session.offers);
  const wishes: JsonObject = { ...wished?.wishes, ...chosen };
  for (const [name, value] of Object.entries(wishes)) {
    if (session.sent.get(name) === value) continue;
    const { method, params } = wishOf(name, value, session.offers);
    const named = { sessionId: session.id, ...params };
    const answer = await connection.ask(method, named, 'session', limits.session_timeout_ms);
    session.sent.set(name, value);
    if (!('error' in answer)) session.refused.delete(name);
    else {
      const { code, message } = answer.error;
      session.refused.set(name, { name, value, code, message: message.slice(0, MAX_REASON) });
    }
  }
  const changes = changesOf(session, turn);
  // A task that goes on has said so already.
  if (turn.modelPolicy === undefined || wished === undefined || turn.kind !== 'start') return changes;
  return [...changes, modelRecord(session, turn.modelPolicy, wished, wishes)];
}

function modelRecord(
  { refused }: AgentSession,
  { provider, model }: ModelWish,
  { wishes, unmet }: ReturnType<typeof wishesOfModel>,
  told: JsonObject,
): AcpRecord {
  const names = Object.keys(wishes);
  const held = names.filter((name) => told[name] === wishes[name] && !refused.has(name));
  // The first one is for the model, where it is offered.
  const members = ['model', 'reasoning_effort'].filter((member) => !unmet.includes(member));
  const lost = members.filter((_, at) => at < names.length && !held.includes(names[at] ?? ''));
  return {
    op: 'model_policy',
    provider,
    model,
    told: Object.fromEntries(held.map((name) => [name, wishes[name] ?? ''])),
    unmet: [...unmet, ...lost],
  };
}

function changesOf({ refused }: AgentSession, { sessionMetadata }: Turn): AcpRecord[] {
  const known = objectOf(objectOf(objectOf(sessionMetadata['acp'])[OPTIONS_REFUSED])['refused']);
  const options = [...refused.values()];
  const news = options.filter(({ name, value }) => objectOf(known[name])['value'] !== value);
  if (news.length === 0 && options.length === Object.keys(known).length) return [];
  return [{ op: 'options_refused', options, news: news.map(({ name }) => name) }];
}

/** Inputs that the agent does not have yet. One that has taken its session up again may have lost them, or have those of a time before. */
async function tellInputs(
  { connection, config, limits, deps, lateInputs }: Preparing,
  session: AgentSession,
  turn: Turn,
): Promise<AcpRecord[]> {
  const isSaid = session.lateInputs === lateInputs.join();
  session.lateInputs = lateInputs.join();
  const late: AcpRecord[] = isSaid ? [] : [{ op: 'inputs', names: [...lateInputs], outcome: 'later' }];
  const { names = [] } = config.inputs ?? {};
  if (names.length === 0) return late;
  const isTakenUp = session.news?.how === 'loaded' || session.news?.how === 'resumed';
  if (isTakenUp || session.inputs === undefined)
    session.inputs = new AgentInputs(turn.sessionId, session.news?.how === 'new');
  const telling = tellingOf(connection, session, limits, deps);
  const told = await session.inputs.tell(telling, () => turn.sessionInputs?.(names) ?? []);
  return told === undefined ? late : [...late, told];
}

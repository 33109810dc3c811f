import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import type { PolicyDecided } from '#resources/policy/events.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import { HOST_METHODS, type HostMethod, type HostMethodRow } from '../../../mappings/acp/host-methods.ts';
import { type RpcAnswer, RpcError } from '../../wire/json-rpc.ts';
import { sha256 } from '../../wire/sha256.ts';
import type { PromptTurn } from './prompt-turn.ts';
import type { AcpRecord } from './record.ts';
import type { AgentSession } from './session.ts';

/** The end of a path is what distinguishes files. */
const MAX_PATH = 4_096;

/** What an agent asks of the machine of its client. */
export interface HostCall {
  session: AgentSession;
  prompt: PromptTurn;
  key: string;
  method: HostMethod;
  /** The request as it came. */
  message: JsonObject;
  /** The agent takes it back. */
  signal: AbortSignal;
}

/**
 * Passes the request on to the client that works in the Session, once it is recorded; the agent gets the client's answer, and
 * the record of it comes first. Rejects with an RpcError where no client is there.
 */
export async function askHost(call: HostCall): Promise<JsonValue> {
  const { prompt, key, message } = call;
  const decided = judged(call);
  const isHeld = decided?.effect === 'ask' ? prompt.held(key, call.signal) : undefined;
  await prompt.record({ op: 'host_asked', key, message, ...(decided === undefined ? {} : { decided }) });
  const isAllowed = decided === undefined || (await isHeld) === true;
  const answer = isAllowed ? await answerOf(call) : kept(decided);
  const outcome = 'error' in answer ? { error: { ...answer.error } } : answer;
  await prompt.record({
    op: 'host_answered',
    key,
    method: call.method,
    ...outcome,
    ...consequences(call, answer),
  });
  if ('error' in answer) throw new RpcError(answer.error.code, answer.error.message, answer.error.data);
  return answer.result;
}

/** What only goes on with a call was judged when that began. */
function judged({ prompt, key, method, message }: HostCall): PolicyDecided | undefined {
  const { judgedAs } = HOST_METHODS[method] as HostMethodRow;
  if (judgedAs === undefined) return undefined;
  const { sessionId: _, ...input } = objectOf(message['params']);
  return prompt.judge({ toolCallId: key, name: method, sideEffect: judgedAs, input });
}

function kept({ effect, because }: PolicyDecided): RpcAnswer {
  const why = effect === 'ask' ? 'Nobody allowed it.' : because;
  return refusal(ACP_ERRORS.internal_error, `The policy kept this back. ${why}`);
}

async function answerOf({ prompt, method, message, signal }: HostCall): Promise<RpcAnswer> {
  const host = prompt.host();
  if (prompt.stopped.aborted) return refusal(ACP_ERRORS.request_cancelled, 'The turn is cancelled.');
  if (host === undefined || !host.offer.includes(HOST_METHODS[method].capability)) {
    return refusal(ACP_ERRORS.internal_error, 'No editor that offers this is connected to the session.');
  }
  const { sessionId: _, ...params } = objectOf(message['params']);
  return host
    .ask(method, params, AbortSignal.any([signal, prompt.stopped]))
    .catch(() => refusal(ACP_ERRORS.internal_error, 'The editor went away, or the request was taken back.'));
}

function refusal(code: number, message: string): RpcAnswer {
  return { error: { code, message } };
}

type Consequences = Pick<Extract<AcpRecord, { op: 'host_answered' }>, 'ends' | 'wrote'>;

/** What the answer means besides itself, so that its record can be read without this process. */
function consequences({ session, prompt, key, method, message }: HostCall, answer: RpcAnswer): Consequences {
  const { step } = HOST_METHODS[method];
  const params = objectOf(message['params']);
  if (step === 'call') return { ends: key, ...writtenBy(method, params, answer) };
  if ('error' in answer) return step === 'begin' ? { ends: key } : {};
  if (step === 'begin') {
    const id = textOf(objectOf(answer.result)['terminalId']);
    if (id === undefined) return { ends: key };
    session.terminals.made(id, key, prompt.host());
    return {};
  }
  const terminal = textOf(params['terminalId']) ?? '';
  if (method === 'terminal/release') session.terminals.released(terminal);
  const isOver = step === 'end' || isObject(objectOf(answer.result)['exitStatus']);
  const ended = isOver ? session.terminals.ended(terminal) : undefined;
  return ended === undefined ? {} : { ends: ended };
}

function writtenBy(method: HostMethod, params: JsonObject, answer: RpcAnswer): Consequences {
  const { path, content } = params;
  if (method !== 'fs/write_text_file' || 'error' in answer) return {};
  if (typeof path !== 'string' || typeof content !== 'string') return {};
  return {
    wrote: { path: path.slice(-MAX_PATH), bytes: Buffer.byteLength(content), sha256: sha256(content) },
  };
}

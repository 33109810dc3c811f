import type { JsonObject } from '#protocol/json.ts';
import type { GivenInput } from '#resources/session-input/schema.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import type { BridgeDeps } from '../../bridge.ts';
import type { RpcAnswer } from '../../wire/json-rpc.ts';
import type { AcpClientConfig, AcpLimits } from './config.ts';
import type { InputsRecord } from './record.ts';

/** Source: harn-serve 0.10.185, ACP `session/inputs`: `sessionId` and one `command`. */
export const INPUTS_METHOD = 'session/inputs';
/** Whose snapshots ours are, among those of others that the agent may know. */
const SOURCE_ID = 'harn-gateway';
/** Characters that are kept of an agent's reason. */
const MAX_REASON = 2_000;

/** Reads the inputs that a Session has now, by their names. */
export type ReadInputs = (names: readonly string[]) => readonly GivenInput[];

/** What a process of a session alone gets, by variables; undefined where it needs none. What is for websites is for nobody's environment. */
export function environmentInputs(
  { inputs }: AcpClientConfig,
  given: ReadInputs,
): Record<string, string> | undefined {
  const variables = Object.entries(inputs?.env ?? {});
  if (variables.length === 0) return undefined;
  const values = new Map(
    given(variables.map(([, name]) => name))
      .filter(({ spec }) => spec.usage.kind === 'session_tools')
      .map(({ spec, value }) => [spec.name, value]),
  );
  const found = variables.flatMap(([variable, name]) => {
    const value = values.get(name);
    return value === undefined ? [] : [[variable, value] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The running agent. */
interface Asked {
  readonly unserved: Set<string>;
  ask(method: string, params: JsonObject, name: string, ms: number): Promise<RpcAnswer>;
}

/** How an agent is told: what it runs on, its name of the session, and the wait for its answer. */
interface Telling {
  connection: Asked;
  agentSession: string;
  nowMs(): number;
  timeoutMs: number;
}

export function tellingOf(
  connection: Asked,
  { id: agentSession }: { id: string },
  { session_timeout_ms: timeoutMs }: AcpLimits,
  { clock }: Pick<BridgeDeps, 'clock'>,
): Telling {
  return { connection, agentSession, timeoutMs, nowMs: () => clock.now() };
}

/** What one session of an agent has of the inputs of its Harn Session. */
export class AgentInputs {
  /** The Harn Session. */
  readonly sessionId: string;
  /** As text to compare; undefined where nobody knows: the agent may have some of a time before. */
  #has: string | undefined;
  #isKnown = false;
  #revision = 0;
  #told: Promise<unknown> = Promise.resolve();

  constructor(sessionId: string, isNew: boolean) {
    this.sessionId = sessionId;
    this.#has = isNew ? '[]' : undefined;
  }

  /** Tells the agent what it does not have yet, one snapshot after another; undefined when it has them. Rejects with Fault. */
  async tell(telling: Telling, given: () => readonly GivenInput[]): Promise<InputsRecord | undefined> {
    const before = this.#told.catch(() => undefined);
    const told = before.then(() => this.#tell(telling, given()));
    this.#told = told;
    return told;
  }

  async #tell(telling: Telling, given: readonly GivenInput[]): Promise<InputsRecord | undefined> {
    const text = JSON.stringify(given);
    if (text === this.#has) return undefined;
    const answer = await this.#sync(telling, given);
    // What it refuses is not said again, until it is otherwise.
    this.#has = text;
    const names = given.map(({ spec }) => spec.name);
    if (answer !== undefined && !('error' in answer)) return { op: 'inputs', names, outcome: 'taken' };
    if (names.length === 0) return undefined;
    if (answer === undefined) return { op: 'inputs', names, outcome: 'unknown' };
    const { code, message } = answer.error;
    return { op: 'inputs', names, outcome: 'refused', code, message: message.slice(0, MAX_REASON) };
  }

  /** Undefined where the agent does not know the method. That is asked without a value, so that no other agent gets one. */
  async #sync(telling: Telling, inputs: readonly GivenInput[]): Promise<RpcAnswer | undefined> {
    const { unserved } = telling.connection;
    if (unserved.has(INPUTS_METHOD)) return undefined;
    if (!this.#isKnown) {
      const listed = await ask(telling, { kind: 'list' });
      if ('error' in listed) {
        if (listed.error.code !== ACP_ERRORS.method_not_found) return listed;
        unserved.add(INPUTS_METHOD);
        return undefined;
      }
      this.#isKnown = true;
    }
    // An agent that outlives this process knows older ones.
    this.#revision = Math.max(telling.nowMs(), this.#revision + 1);
    const snapshot = { sourceId: SOURCE_ID, revision: this.#revision, inputs, redactions: [] };
    return ask(telling, { kind: 'sync', snapshot: snapshot as unknown as JsonObject });
  }
}

function ask({ connection, agentSession, timeoutMs }: Telling, command: JsonObject): Promise<RpcAnswer> {
  return connection.ask(INPUTS_METHOD, { sessionId: agentSession, command }, 'session', timeoutMs);
}

import type { Clean } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import {
  type GivenInput,
  INPUT_LIMITS,
  type InputDescription,
  type InputSnapshot,
  type InputSpec,
} from './schema.ts';

/** Hides what it is told, and what looks like a secret. */
interface Hiding {
  addKnownSecret(secret: string): void;
  clean<T>(value: T): { value: Clean<T>; hit: boolean };
  hideKnownSecrets<T>(value: T): T;
}

export interface SessionInputsDeps {
  nowMs(): number;
  /** What reads everything that is recorded. */
  redact<T>(value: T): { value: Clean<T>; hit: boolean };
  newRedactor(): Hiding;
  /** Keeps texts out of the log of the process, too, as often as they are named, until they are let go as often. */
  hideInLogs(secrets: readonly string[]): void;
  showInLogs(secrets: readonly string[]): void;
  /** Tells the agents that keep the inputs of a Session themselves; the routes of those that run and have them now. Never rejects. */
  tell(sessionId: string, given: (names: readonly string[]) => GivenInput[]): Promise<string[]>;
}

interface Entry {
  spec: InputSpec;
  value: string;
  /** Whose snapshot has it; undefined for one that was put. */
  sourceId: string | undefined;
}

interface Inputs {
  entries: Map<string, Entry>;
  /** Everything that is hidden in what this Session records, whether it is still in use or not. */
  hidden: Set<string>;
  redactor: Hiding;
  /** Of all values. */
  bytes: number;
  /** The newest revision of each source. */
  sources: Map<string, number>;
}

/** How long the secrets of a Session that is over are still hidden in what comes late, and of how many. */
const OVER = { ms: 900_000, sessions: 1_000 } as const;

/** Named inputs of running Sessions. They are nowhere but here, and gone with the process. */
export class SessionInputs {
  readonly #deps: SessionInputsDeps;
  readonly #sessions = new Map<string, Inputs>();
  /** Sessions that are over, by when they ended, oldest first. */
  readonly #over = new Map<string, number>();
  /** Bytes that all Sessions keep. */
  #bytes = 0;
  /** Whether no Session has any. A plain member: every Task asks, and most gateways have none. */
  isEmpty = true;

  constructor(deps: SessionInputsDeps) {
    this.#deps = deps;
  }

  list(sessionId: string): InputDescription[] {
    return [...this.#live(sessionId).values()].map(describe);
  }

  /** Throws `invalid_request` for a name that is taken and for what cannot be kept; then nothing has changed. */
  put(sessionId: string, given: { spec: InputSpec; value: string; replace: boolean }): InputDescription {
    const { spec, value, replace } = given;
    this.#check(spec, value, '');
    const before = this.#live(sessionId).get(spec.name);
    if (before !== undefined && !replace)
      throw invalid('spec.name', 'there is an input of this name. Send replace: true to replace it.');
    if (before?.sourceId !== undefined)
      throw invalid('spec.name', `the source ${before.sourceId} keeps this input in step. Change it there.`);
    const entry: Entry = { spec, value, sourceId: undefined };
    this.#store(sessionId, [entry], [], []);
    return describe(entry);
  }

  remove(sessionId: string, name: string): boolean {
    const isThere = this.#live(sessionId).has(name);
    this.#sessions.get(sessionId)?.entries.delete(name);
    return isThere;
  }

  /** True when it was applied, false when its revision was known, whatever it holds. Throws as `put` does, and for a revision that is older. */
  sync(sessionId: string, snapshot: InputSnapshot): boolean {
    const { sourceId, revision, inputs, redactions } = snapshot;
    const live = this.#live(sessionId);
    const known = this.#sessions.get(sessionId)?.sources.get(sourceId);
    if (known !== undefined && revision < known)
      throw invalid('snapshot.revision', `revision ${known} of this source is known. Send a newer one.`);
    if (known === revision) return false;
    const names = new Set<string>();
    for (const [at, { spec, value }] of inputs.entries()) {
      this.#check(spec, value, `snapshot.inputs[${at}].`);
      const param = `snapshot.inputs[${at}].spec.name`;
      if (names.has(spec.name)) throw invalid(param, 'the snapshot has this name twice.');
      names.add(spec.name);
      const before = live.get(spec.name);
      if (before !== undefined && before.sourceId !== sourceId)
        throw invalid(
          param,
          'an input of this name is of somebody else. Remove it there, or use another name.',
        );
    }
    for (const [at, text] of redactions.entries())
      if (text.length < INPUT_LIMITS.secretCharacters) throw tooShort(`snapshot.redactions[${at}]`);
    const entries = inputs.map(({ spec, value }) => ({ spec, value, sourceId }));
    const gone = [...live.values()]
      .filter((entry) => entry.sourceId === sourceId)
      .map(({ spec }) => spec.name);
    this.#store(sessionId, entries, gone, redactions).sources.set(sourceId, revision);
    return true;
  }

  /** The value of an input for somebody at this origin; undefined where there is none, or it is meant for other places. */
  value(sessionId: string, name: string, origin: string | undefined): string | undefined {
    const entry = this.#live(sessionId).get(name);
    if (entry === undefined) return undefined;
    const { usage } = entry.spec;
    const isMeant =
      usage.kind === 'session_tools' || (origin !== undefined && usage.origins.includes(origin));
    return isMeant ? entry.value : undefined;
  }

  /** Those of these names, `*` for all, as they are now, for an agent that keeps them itself and knows what each is for. */
  given(sessionId: string, names: readonly string[]): GivenInput[] {
    if (this.isEmpty) return [];
    const isNamed = (name: string) => names.includes('*') || names.includes(name);
    return [...this.#live(sessionId).values()]
      .filter(({ spec }) => isNamed(spec.name))
      .map(({ spec, value }) => ({ spec, value }));
  }

  /** Tells agents that keep them what has changed. Resolves with the routes of those that have it now; others get it with their next turn. */
  tell(sessionId: string): Promise<string[]> {
    return this.#deps.tell(sessionId, (names) => this.given(sessionId, names));
  }

  /** Reads what a Session records: its own secrets are hidden, and what is hidden everywhere. */
  redact<T>(sessionId: string | undefined, value: T): { value: Clean<T>; hit: boolean } {
    const own = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    if (own === undefined || own.hidden.size === 0) return this.#deps.redact(value);
    const first = own.redactor.clean(value);
    const second = this.#deps.redact(first.value as T);
    return { value: second.value, hit: first.hit || second.hit };
  }

  /** Content of a Session that is otherwise kept as it came, without its secrets. */
  hide<T>(sessionId: string, value: T): T {
    const own = this.#sessions.get(sessionId);
    return own === undefined || own.hidden.size === 0 ? value : own.redactor.hideKnownSecrets(value);
  }

  /** The Session is over: nothing is handed out any more, and what comes late is still read. */
  end(sessionId: string): void {
    const inputs = this.#sessions.get(sessionId);
    if (inputs === undefined) return;
    inputs.entries.clear();
    inputs.sources.clear();
    this.#over.set(sessionId, this.#deps.nowMs());
    this.tidy();
    void this.tell(sessionId);
  }

  /** Forgets Sessions that are over for so long that nothing of them comes any more. */
  tidy(): void {
    const before = this.#deps.nowMs() - OVER.ms;
    for (const [sessionId, endedMs] of this.#over)
      if (endedMs <= before || this.#over.size > OVER.sessions) this.#forget(sessionId);
  }

  #forget(sessionId: string): void {
    const inputs = this.#sessions.get(sessionId);
    this.#over.delete(sessionId);
    this.#sessions.delete(sessionId);
    this.isEmpty = this.#sessions.size === 0;
    if (inputs === undefined) return;
    this.#bytes -= inputs.bytes;
    this.#deps.showInLogs([...inputs.hidden]);
  }

  /** Without those that have expired. */
  #live(sessionId: string): Map<string, Entry> {
    const entries = this.#sessions.get(sessionId)?.entries ?? new Map<string, Entry>();
    const nowMs = this.#deps.nowMs();
    for (const [name, { spec }] of entries)
      if (spec.lifetime.kind === 'until' && spec.lifetime.unix_ms <= nowMs) entries.delete(name);
    return entries;
  }

  #check({ kind, lifetime, usage }: InputSpec, value: string, at: string): void {
    if (lifetime.kind === 'until' && lifetime.unix_ms <= this.#deps.nowMs())
      throw invalid(`${at}spec.lifetime.unix_ms`, 'this time has passed. Name a later one.');
    if (kind === 'variable' && usage.kind === 'websites')
      throw invalid(`${at}spec.usage`, 'only a secret is for websites. Use session_tools.');
    if (kind === 'secret' && value.length < INPUT_LIMITS.secretCharacters) throw tooShort(`${at}value`);
  }

  /** All of it or nothing. */
  #store(
    sessionId: string,
    added: readonly Entry[],
    gone: readonly string[],
    redactions: readonly string[],
  ): Inputs {
    const inputs = this.#sessions.get(sessionId) ?? {
      entries: new Map<string, Entry>(),
      hidden: new Set<string>(),
      redactor: this.#deps.newRedactor(),
      bytes: 0,
      sources: new Map<string, number>(),
    };
    const entries = new Map(inputs.entries);
    for (const name of gone) entries.delete(name);
    for (const entry of added) entries.set(entry.spec.name, entry);
    const secrets = added.filter(({ spec }) => spec.kind === 'secret').map(({ value }) => value);
    const hidden = new Set([...inputs.hidden, ...secrets, ...redactions]);
    const variables = [...entries.values()].filter(({ spec }) => spec.kind === 'variable');
    const bytes = [...hidden, ...variables.map(({ value }) => value)].reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      0,
    );
    const { names, sessionBytes, entries: most } = INPUT_LIMITS;
    if (entries.size > names)
      throw invalid('spec.name', `a session has at most ${names} inputs. Remove one.`);
    if (bytes > sessionBytes || hidden.size + variables.length > most)
      throw invalid(
        'value',
        `a session keeps at most ${sessionBytes} bytes in ${most} values. Use another session.`,
      );
    const total = this.#bytes - inputs.bytes + bytes;
    if (total > INPUT_LIMITS.allBytes) throw full();
    const fresh = [...hidden].filter((text) => !inputs.hidden.has(text));
    for (const text of fresh) inputs.redactor.addKnownSecret(text);
    this.#deps.hideInLogs(fresh);
    this.#bytes = total;
    this.#sessions.set(sessionId, Object.assign(inputs, { entries, hidden, bytes }));
    this.isEmpty = false;
    return inputs;
  }
}

function describe({ spec, value }: Entry): InputDescription {
  return spec.kind === 'variable' ? { ...spec, value } : { ...spec };
}

function tooShort(param: string): ProtocolError {
  const { secretCharacters } = INPUT_LIMITS;
  return invalid(
    param,
    `has fewer than ${secretCharacters} characters and could not be kept out of the log. Use a longer one.`,
  );
}

function full(): ProtocolError {
  const message =
    'The sessions of this gateway keep as many inputs as it has room for. Close some, or try later.';
  return new ProtocolError('rate_limited', message, {
    details: { reason: 'inputs_of_all_sessions', limit_bytes: INPUT_LIMITS.allBytes },
    retryAfterSeconds: OVER.ms / 1_000,
  });
}

/** Says nothing of a value. */
function invalid(param: string, message: string): ProtocolError {
  return new ProtocolError('invalid_request', `${param}: ${message}`, {
    param,
    details: { reason: 'invalid_session_inputs' },
  });
}

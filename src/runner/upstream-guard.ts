import type { GuardSight } from '#core/facts.ts';
import type { Clock } from '#protocol/ports.ts';
import type { Frame } from '#protocol-client.ts';
import type { CircuitState } from '#resources/agent/schema.ts';

/** What is done about an agent that fails; what is left out is not done. Times in milliseconds. */
export interface GuardTerms {
  route: string;
  breaker?: { failures: number; openMs: number } | undefined;
  retries?: { share: number; most: number; pauseMs: number } | undefined;
  fallback?: string | undefined;
}

export type Fault = Extract<Frame, { kind: 'fault' }>;

/** Retries that may have been saved up. */
const MAX_SAVED = 10;
/** An agent that asks for more patience is not waited for. */
const MAX_PAUSE_MS = 30_000;

/** Circuit breaker, retry budget and fallback of one agent, over all its tasks. */
export class UpstreamGuard {
  readonly terms: GuardTerms;
  fallbacks = 0;
  readonly #clock: Clock;
  #failures = 0;
  /** Monotonic. */
  #openedMs: number | undefined;
  /** The turn that tries an agent whose circuit is half open. */
  #probe: symbol | undefined;
  #saved = 1;
  #retries = 0;

  constructor(terms: GuardTerms, clock: Clock) {
    this.terms = terms;
    this.#clock = clock;
  }

  get circuit(): CircuitState {
    const { breaker } = this.terms;
    if (breaker === undefined || this.#openedMs === undefined) return 'closed';
    return this.#clock.monotonic() - this.#openedMs >= breaker.openMs ? 'half_open' : 'open';
  }

  /** Lets a turn through; undefined where none may be sent now. Whoever gets a passage closes it. */
  enter(): Passage | undefined {
    const { circuit } = this;
    if (circuit === 'open' || (circuit === 'half_open' && this.#probe !== undefined)) return undefined;
    const probe = circuit === 'half_open' ? Symbol('probe') : undefined;
    this.#probe = probe;
    this.#saved = Math.min(MAX_SAVED, this.#saved + (this.terms.retries?.share ?? 0));
    return new Passage({
      answered: () => this.#answered(probe),
      failed: () => this.#failed(probe),
      closed: (isWell) => this.#closed(probe, isWell),
    });
  }

  /** An agent that answers again may still fail in the same turn, so its failures are kept until that is over. */
  #answered(probe: symbol | undefined): void {
    if (probe === undefined || probe !== this.#probe) return;
    this.#probe = undefined;
    this.#openedMs = undefined;
  }

  #failed(probe: symbol | undefined): void {
    this.#failures += 1;
    const { breaker } = this.terms;
    if (breaker !== undefined && (probe !== undefined || this.#failures >= breaker.failures))
      this.#openedMs = this.#clock.monotonic();
    this.#release(probe);
  }

  /** The end of what was sent before the circuit opened says nothing of how its agent does now. */
  #closed(probe: symbol | undefined, isWell: boolean): void {
    this.#release(probe);
    if (isWell && this.#openedMs === undefined) this.#failures = 0;
  }

  #release(probe: symbol | undefined): void {
    if (probe !== undefined && probe === this.#probe) this.#probe = undefined;
  }

  /** Milliseconds to wait before a turn is sent again; undefined: it is not. Takes it from the budget. */
  retryIn(fault: Fault, attempt: number): number | undefined {
    const { retries } = this.terms;
    const asked = askedPauseMs(fault);
    if (retries === undefined || attempt >= retries.most || this.#saved < 1) return undefined;
    if (asked === undefined && !wasNotSent(fault)) return undefined;
    const pauseMs = asked ?? retries.pauseMs * 2 ** attempt;
    if (pauseMs > MAX_PAUSE_MS) return undefined;
    this.#saved -= 1;
    this.#retries += 1;
    return pauseMs;
  }

  sight(): GuardSight {
    const { route, breaker, fallback } = this.terms;
    const leftMs =
      breaker === undefined || this.#openedMs === undefined
        ? undefined
        : Math.max(0, this.#openedMs + breaker.openMs - this.#clock.monotonic());
    return {
      route,
      circuit: breaker === undefined ? undefined : this.circuit,
      failures: this.#failures,
      untilMs: leftMs === undefined ? undefined : this.#clock.now() + leftMs,
      fallback,
      retries: this.#retries,
      fallbacks: this.fallbacks,
    };
  }
}

interface PassageEnds {
  answered(): void;
  failed(): void;
  /** `isWell`: its agent has answered, and did not fail. */
  closed(isWell: boolean): void;
}

/** One turn that a guard has let through, and what its agent shows by it. */
export class Passage {
  readonly #ends: PassageEnds;
  #isAnswered = false;
  #isFailed = false;
  #isClosed = false;

  constructor(ends: PassageEnds) {
    this.#ends = ends;
  }

  /** What comes of the turn, frame by frame. */
  hear(frame: Frame): void {
    if (frame.kind === 'message' && frame.own) return;
    if (frame.kind === 'fault' && isOurs(frame)) return;
    if (frame.kind === 'fault' && isOutage(frame)) {
      if (!this.#isFailed) this.#ends.failed();
      this.#isFailed = true;
    } else if (!this.#isAnswered) {
      this.#isAnswered = true;
      if (!this.#isFailed) this.#ends.answered();
    }
  }

  /** The turn is over, or was let go. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ends.closed(this.#isAnswered && !this.#isFailed);
  }
}

/** The guards in force, by route; undefined while none is configured, so that asking costs nothing. A reload puts others there. */
export interface Guards {
  current: ReadonlyMap<string, UpstreamGuard> | undefined;
}

/** Guards of new terms; one whose terms did not change goes on. */
export function guardsOf(
  terms: readonly GuardTerms[],
  clock: Clock,
  before: Guards['current'],
): Guards['current'] {
  if (terms.length === 0) return undefined;
  return new Map(
    terms.map((own) => {
      const known = before?.get(own.route);
      const isSame = known !== undefined && JSON.stringify(known.terms) === JSON.stringify(own);
      return [own.route, isSame ? known : new UpstreamGuard(own, clock)];
    }),
  );
}

/** Faults of our own doing, which say nothing of the agent. */
const OURS: ReadonlySet<unknown> = new Set([
  'aborted',
  'closed',
  'harness_restarted',
  'credential',
  'max_connections',
]);

function isOurs({ details }: Fault): boolean {
  return OURS.has(details?.['reason']);
}

/** Whether a fault is one of the connection or of a server, and no refusal of what was asked. */
export function isOutage(fault: Fault): boolean {
  const { code, details } = fault;
  if (code !== 'upstream_unavailable' && code !== 'deadline_exceeded') return false;
  const status = details?.['http_status'];
  return !isOurs(fault) && (typeof status !== 'number' || status >= 500);
}

/** What is said where the agent got nothing; `start`, `not_started`: there is no program to get it. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'refused',
  'unknown_host',
  'unreachable',
  'connect_timeout',
  'tls',
  'not_reached',
  'not_started',
  'start',
  'credential',
  'agent_start',
]);

export function wasNotSent({ details }: Fault): boolean {
  return NEVER_SENT.has(details?.['reason']) || details?.['outcome'] === 'not_run';
}

/** An answer in place of the agent's that says when to come again. */
function askedPauseMs({ details }: Fault): number | undefined {
  const status = details?.['http_status'];
  const after = details?.['retry_after'];
  if ((status !== 429 && status !== 503) || typeof after !== 'string' || !/^\d{1,6}$/.test(after))
    return undefined;
  return Number(after) * 1000;
}

/** Whether another agent may do what this one was asked: it got nothing, or its server said that it does nothing. */
export function maySendElsewhere(fault: Fault): boolean {
  const status = fault.details?.['http_status'];
  return (
    wasNotSent(fault) || (typeof status === 'number' && (status === 429 || status === 502 || status === 503))
  );
}

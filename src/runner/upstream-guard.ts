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

type Fault = Extract<Frame, { kind: 'fault' }>;

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
  #isProbing = false;
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

  /** Whether a turn may be sent now. Who may tells how it went: `succeeded`, `failed` or `left`. */
  enter(): boolean {
    const { circuit } = this;
    if (circuit === 'open' || (circuit === 'half_open' && this.#isProbing)) return false;
    this.#isProbing = circuit === 'half_open';
    this.#saved = Math.min(MAX_SAVED, this.#saved + (this.terms.retries?.share ?? 0));
    return true;
  }

  succeeded(): void {
    this.#isProbing = false;
    this.#failures = 0;
    this.#openedMs = undefined;
  }

  failed(): void {
    this.#failures += 1;
    const { breaker } = this.terms;
    if (breaker !== undefined && (this.#isProbing || this.#failures >= breaker.failures))
      this.#openedMs = this.#clock.monotonic();
    this.#isProbing = false;
  }

  /** Nothing is known of how it went. */
  left(): void {
    this.#isProbing = false;
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
const OURS: ReadonlySet<unknown> = new Set(['aborted', 'closed', 'harness_restarted']);

/** Whether a fault is one of the connection or of a server, and no refusal of what was asked. */
export function isOutage({ code, details }: Fault): boolean {
  if (code !== 'upstream_unavailable' && code !== 'deadline_exceeded') return false;
  const status = details?.['http_status'];
  return !OURS.has(details?.['reason']) && (typeof status !== 'number' || status >= 500);
}

/** What the connection says where the agent got nothing; `start`, `not_started`: there is no program to get it. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'refused',
  'unknown_host',
  'unreachable',
  'connect_timeout',
  'tls',
  'not_reached',
  'not_started',
  'start',
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

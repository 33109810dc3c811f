import type { DecisionTools } from '#core/facts.ts';
import type { Event, Projection } from '#eventlog/event-log.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Frame, Move, Seen } from '#protocol-client.ts';
import type { RunRecord } from '#receipts/receipt-draft.ts';
import type { ReplayMaterial } from '#resources/receipt/parts-schema.ts';
import { kindOf } from '#resources/receipt/run-materials.ts';
import { type Divergence, divergence, hashOf } from '#resources/replay/record/compare.ts';
import type { MissingDependency } from '#resources/replay/record/history.ts';
import type { ReplayVerdict } from '#resources/replay/schema.ts';
import type { PreparedReplay, Substitute } from './prepare-replay.ts';
import { type ReplayedStep, reExecute } from './re-execute.ts';
import { bindsApprovals, timeoutOf } from './recorded-terms.ts';

/** What a re-execution is made with; none of it asks the clock, chance or the network. */
export interface ReplayTools {
  interpret(frame: Frame, seen: Seen): Move[];
  tools: DecisionTools;
  projection: Projection;
  /** Names the ids of what was never recorded. */
  seed: string;
}

/** One event of a replay, as it is recorded. */
export interface ReplayedEvent {
  event: Event;
  sha256: string;
  equal: boolean;
  originalEventId: string | null;
  cursor: string | null;
  /** The substitution that produced it. */
  override?: { key: string; deltaId: string };
  /** Who may read it: what a substitute that is not public became is not public either. */
  visibility: Substitute['visibility'];
}

export interface ReplayEnd {
  verdict: ReplayVerdict;
  /** Events of the run, whether they were recorded or not. */
  events: number;
  /** What the run did; absent where it did not end. */
  run?: RunRecord;
  /** Set where the run did not end: what it would have needed next. */
  missing?: MissingDependency;
}

/** Runs a prepared replay again, event by event, and compares each with what is recorded of it. */
export function* replayedEvents(
  prepared: PreparedReplay,
  { interpret, tools, projection, seed }: ReplayTools,
): Generator<ReplayedEvent, ReplayEnd> {
  const { history, substitutes, recorded } = prepared;
  const frames = new Map([...substitutes].map(([key, { frame }]) => [key, frame]));
  const limits = {
    ...tools.limits,
    permissionTimeoutMs: timeoutOf(history.events),
    bindsApprovals: bindsApprovals(history.events),
  };
  const run = reExecute(history, {
    interpret,
    tools: { ...tools, limits },
    projection,
    seed,
    substitutes: frames,
  });
  const comparison = new Comparison(prepared);
  for (let step = run.next(); ; step = run.next()) {
    if (step.done) {
      const run = step.value && withSubstitutes(step.value, prepared);
      const missing = { kind: 'frame', id: nextKey(history.frames.length, history.route) } as const;
      return { ...comparison.end(recorded), ...(run ? { run } : { missing }) };
    }
    yield* comparison.take(step.value);
  }
}

/**
 * Materials say which of them were substituted, and where the substitute is. Where the receipt names all frames together, each
 * substituted one is named besides, so that the path of every delta leads to a material.
 */
function withSubstitutes(run: RunRecord, { history, substitutes }: PreparedReplay): RunRecord {
  const named = new Set<string>();
  const materials = run.materials.map((material) => {
    const { id = '', sha256 = '', kind } = material;
    const substitute = substitutes.get(id);
    if (!substitute) return material;
    named.add(id);
    return substitutedMaterial(id, kind, sha256, substitute);
  });
  if (!materials.some(({ kind }) => kind === 'event_log')) return { ...run, materials };
  for (const [id, substitute] of substitutes) {
    const sha256 = hashOf(substitute.frame as unknown as JsonValue);
    if (!named.has(id))
      materials.push(substitutedMaterial(id, kindOf(id, history.route), sha256, substitute));
  }
  return { ...run, materials };
}

function substitutedMaterial(
  id: string,
  kind: ReplayMaterial['kind'],
  sha256: string,
  { uri }: Substitute,
): ReplayMaterial {
  return { content_type: 'application/json', id, kind, metadata: { override_key: id }, sha256, uri };
}

class Comparison {
  readonly #prepared: PreparedReplay;
  readonly #hashes: string[] = [];
  #index = 0;
  #yielded = 0;
  #cursor: string | null = null;
  #visibility: Substitute['visibility'] = 'public';
  #first: (Divergence & { redacted_material?: string }) | undefined;

  constructor(prepared: PreparedReplay) {
    this.#prepared = prepared;
  }

  *take(step: ReplayedStep): Generator<ReplayedEvent> {
    const { stimulus, replayed, overrideKey } = step;
    const substitute = overrideKey === undefined ? undefined : this.#prepared.substitutes.get(overrideKey);
    if (substitute) this.#visibility = narrower(this.#visibility, substitute.visibility);
    const count = Math.max(stimulus.events.length, replayed.length);
    for (let at = 0; at < count; at += 1) {
      const original = stimulus.events[at];
      this.#cursor = original?.id ?? this.#cursor;
      const event = this.#compare(original, replayed[at], redactedKey(step));
      if (!event) continue;
      const override =
        overrideKey !== undefined && substitute
          ? { key: overrideKey, deltaId: substitute.deltaId }
          : undefined;
      yield { ...event, ...(override ? { override } : {}) };
    }
  }

  end(recorded: PreparedReplay['recorded']): Pick<ReplayEnd, 'verdict' | 'events'> {
    const left = recorded?.[this.#yielded];
    if (left !== undefined)
      this.#first ??= {
        index: this.#yielded,
        eventId: left.eventId,
        path: `/${this.#yielded}`,
        expected: left.sha256,
        observed: null,
      };
    const verdict: ReplayVerdict = this.#first
      ? diverged(this.#first)
      : { status: 'byte_equal', record_hash: hashOf(this.#hashes) };
    return { verdict, events: this.#index };
  }

  #compare(
    original: Event | undefined,
    replayed: Event | undefined,
    redacted: string | undefined,
  ): ReplayedEvent | undefined {
    const index = this.#index;
    this.#index += 1;
    const sha256 = replayed && hashOf(replayed as unknown as JsonValue);
    if (sha256 !== undefined) this.#hashes.push(sha256);
    const difference = divergence(original, replayed, index);
    const { checkpointEventId, recorded } = this.#prepared;
    const isYielded = checkpointEventId === null || (this.#cursor ?? '') > checkpointEventId;
    if (!recorded) this.#note(difference, redacted);
    if (!replayed || sha256 === undefined || !isYielded) return undefined;
    const before = recorded?.[this.#yielded];
    if (recorded && before?.sha256 !== sha256)
      this.#note(
        {
          index,
          eventId: before?.eventId ?? null,
          path: `/${index}`,
          expected: before?.sha256 ?? null,
          observed: sha256,
        },
        redacted,
      );
    this.#yielded += 1;
    const equal = recorded ? before?.sha256 === sha256 : difference === undefined;
    const originalEventId = recorded ? (before?.eventId ?? null) : (original?.id ?? null);
    const visibility = difference === undefined ? 'public' : this.#visibility;
    return { event: replayed, sha256, equal, originalEventId, cursor: this.#cursor, visibility };
  }

  #note(difference: Divergence | undefined, redacted: string | undefined): void {
    if (!difference || this.#first) return;
    this.#first = { ...difference, ...(redacted === undefined ? {} : { redacted_material: redacted }) };
  }
}

/** The payload as it may be recorded; null where only its hash may. */
export function payloadFor({ event, visibility }: ReplayedEvent): JsonObject | null {
  if (visibility === 'receipt_only') return null;
  return visibility === 'public' ? event.payload : { type: 'json', visibility, value: event.payload };
}

function diverged({ index, eventId, path, expected, observed, ...rest }: Divergence): ReplayVerdict {
  return { status: 'diverged', index, event_id: eventId, path, expected, observed, ...rest };
}

const NARROWNESS = { public: 0, internal: 1, receipt_only: 2 } as const;

function narrower(a: Substitute['visibility'], b: Substitute['visibility']): Substitute['visibility'] {
  return NARROWNESS[a] >= NARROWNESS[b] ? a : b;
}

function redactedKey({ stimulus }: ReplayedStep): string | undefined {
  return stimulus.kind === 'frame' && stimulus.frame.redacted ? stimulus.frame.key : undefined;
}

function nextKey(frames: number, route: string): string {
  return `${route}:${frames + 1}`;
}

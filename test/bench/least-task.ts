import { hash } from 'node:crypto';
import type { Event, NewEvent, ResourcePointer } from '#eventlog/event-log.ts';
import { buildEvent } from '#eventlog/fold-record.ts';
import { SegmentWriter } from '#eventlog/segment.ts';
import { fromLog } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import {
  type Clock,
  createIdSource,
  eventIdOf,
  type IdSource,
  type Random,
  timestamp,
} from '#protocol/ports.ts';
import { CURRENT_RULES } from '#protocol/rules.ts';
import { buildReceipt, type ReceiptKey, sealReceipt } from '#receipts/build-receipt.ts';
import { appendLeaf, encodeLeaf, type HexHash, rootOf } from '#receipts/merkle.ts';
import type { ReceiptPlace, RunRecord } from '#receipts/receipt-draft.ts';
import { encodeFrameRow } from '#resources/replay/record/frame-row.ts';
import type { RecordedFrame } from '#resources/replay/record/recorded-frame.ts';
import { frameKey, leafKey, receiptKey } from '#store/keys.ts';
import { seal } from '#store/sealed-record.ts';

/** What one step of a task adds to the log. */
export interface LeastStep {
  segments: SegmentWriter;
  records: [key: string, sealed: Buffer][];
}

export interface LeastTask {
  id: string;
  session: string;
  input: JsonObject & { id: string };
  trace: string;
  createdAt: string;
}

/** How far the receipts and events of a session are. */
interface Chain {
  head: string | null;
  frontier: HexHash[];
  receipts: number;
  events: number;
}

const WORKSPACE = 'workspace_default';
const ROUTE = 'bench:echo';
const ISSUER = { id: 'harness_00000000000000000000000000000000', name: null };
const NOTHING = { usage: null, toolCallCount: 0, approvals: [], toolCalls: [], fileWrites: [] };
const NONE = { handoffs: [], artifacts: [], redactions: [], ...NOTHING };

/**
 * The events, receipt, leaf and frame of an echo task as the gateway stores them, made by its own writers and by nothing else:
 * no caller, no check, no policy, no redaction, no state that could be read, no index. A gateway that keeps the contract does all
 * of this and more, so its cost is the floor under P1.
 */
export class LeastTasks {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #key: ReceiptKey;
  readonly #newId: IdSource;
  readonly #chains = new Map<string, Chain>();
  #events = 0;
  #leaves = 0;

  constructor(clock: Clock, random: Random, key: ReceiptKey) {
    this.#clock = clock;
    this.#random = random;
    this.#key = key;
    this.#newId = createIdSource(clock, random);
  }

  get eventId(): string {
    return eventIdOf(this.#events);
  }

  /** Accepts and starts a task; `resource` is what its caller is told. */
  accept(session: string, text: string): { task: LeastTask; resource: JsonObject; step: LeastStep } {
    const createdAt = timestamp(this.#clock.now());
    const trace = Buffer.from(this.#random.bytes(16)).toString('hex');
    const id = this.#newId('task');
    const input = this.#message({ id, session }, 'user', text, createdAt);
    const task = { id, session, input, trace, createdAt };
    const resource = taskResource(task);
    const step = this.#step(task, 'actor_bench', createdAt);
    const place = { route: ROUTE, rules: CURRENT_RULES, message_id: input.id, preceding: [] };
    const accepted = { task: resource, ...place, checkpoint_id: `${id}.1` };
    step.append('task.submitted', { object: 'task', id }, accepted);
    step.said(input, 'user.message');
    const started = { status: 'WORKING', previous_status: 'SUBMITTED', checkpoint_id: `${id}.2` };
    step.append('task.started', { object: 'task', id }, started);
    return { task, resource, step };
  }

  /** The echo and the end of the task. */
  complete(task: LeastTask, text: string): LeastStep {
    const time = timestamp(this.#clock.now());
    const step = this.#step(task, ROUTE, time);
    const answer = this.#message(task, 'agent', text, time);
    step.said(answer, 'agent.message');
    const receipt = this.#newId('receipt');
    const outcome = { id: this.#newId('outcome'), summary: text };
    const status = { status: 'COMPLETED', previous_status: 'WORKING', checkpoint_id: `${task.id}.3` };
    const ended = { ...status, material: `${ROUTE}:1`, message_id: answer.id, outcome };
    step.append('task.completed', { object: 'task', id: task.id }, ended, receipt);
    const sha256 = step.frame({ kind: 'message', body: { echo: text } });
    const uri = `harn://tasks/${task.id}/frames/1`;
    const kind = 'llm_provider_response' as const;
    const material = { content_type: 'application/json', id: `${ROUTE}:1`, kind, sha256, uri };
    this.#prove(task, step, receipt, { object: 'task', id: task.id }, [material]);
    return step;
  }

  #message(task: Pick<LeastTask, 'id' | 'session'>, role: string, text: string, time: string) {
    const times = { created_at: time, updated_at: time, metadata: {}, workspace_id: WORKSPACE };
    const place = { session_id: task.session, task_id: task.id, role };
    const parts = [{ type: 'text', text, visibility: 'public' }];
    return { id: this.#newId('message'), object: 'message', ...times, ...place, parts };
  }

  #prove(
    task: LeastTask,
    step: Step,
    id: string,
    subject: RunRecord['subject'],
    materials: RunRecord['materials'],
  ): void {
    const chain = this.#chainOf(task.session);
    const merkleRoot = chain.head === null ? null : `sha256:${rootOf(chain.frontier)}`;
    const links = { previousHash: chain.head, merkleRoot };
    const place = { receiptId: id, issuedAt: step.time, issuer: ISSUER, keyId: this.#key.keyId, ...links };
    const sealed = sealReceipt(buildReceipt(runOf(task, step.time, subject, materials), place), this.#key);
    step.record(receiptKey(id), sealed.bytes);
    step.record(leafKey(this.#leaves), encodeLeaf({ receiptHash: sealed.hash, receiptId: id }));
    step.append(
      'receipt.issued',
      { object: 'receipt', id },
      issued(place, subject, sealed.hash, this.#leaves),
    );
    const leaf = sealed.hash.slice('sha256:'.length);
    chain.frontier = appendLeaf(chain.frontier, chain.receipts, leaf);
    chain.head = sealed.hash;
    chain.receipts += 1;
    this.#leaves += 1;
  }

  #step(task: LeastTask, actor: string, time: string): Step {
    return new Step(task, actor, time, this.#chainOf(task.session), this.eventId, () => {
      this.#events += 1;
      return this.eventId;
    });
  }

  #chainOf(session: string): Chain {
    const known = this.#chains.get(session);
    if (known !== undefined) return known;
    const chain: Chain = { head: null, frontier: [], receipts: 0, events: 0 };
    this.#chains.set(session, chain);
    return chain;
  }
}

class Step implements LeastStep {
  readonly segments = new SegmentWriter();
  readonly records: [string, Buffer][] = [];
  readonly time: string;
  readonly #task: LeastTask;
  readonly #actor: string;
  readonly #chain: Chain;
  readonly #nextId: () => string;
  readonly #events: Event[] = [];
  /** Id of the event before the first of this step. */
  readonly #after: string;

  constructor(
    task: LeastTask,
    actor: string,
    time: string,
    chain: Chain,
    after: string,
    nextId: () => string,
  ) {
    this.#after = after;
    this.#task = task;
    this.#actor = actor;
    this.time = time;
    this.#chain = chain;
    this.#nextId = nextId;
  }

  append(event: NewEvent['event'], resource: ResourcePointer, payload: JsonObject, receiptId?: string): void {
    const { session, id: task_id, trace: traceId } = this.#task;
    const id = this.#nextId();
    this.#chain.events += 1;
    const place = { workspace_id: WORKSPACE, session_id: session, task_id, resource };
    const input = { event, payload: fromLog(payload), ...place, ...(receiptId && { receipt_id: receiptId }) };
    const origin = { actor: this.#actor, traceId };
    const at = { id, sequence: this.#chain.events, previousEventId: null, time: this.time };
    const built = buildEvent(input, { payload, metadata: {} }, origin, at);
    this.segments.add(built);
    this.#events.push(built);
  }

  /** A message, and that it stands in its session. */
  said(message: JsonObject & { id: string }, event: NewEvent['event']): void {
    this.append(event, { object: 'message', id: message.id }, { message });
    const place = { role: message['role'] ?? null, position: this.#chain.events, pending: false };
    const appended = { message_id: message.id, ...place };
    this.append('session.message_appended', { object: 'session', id: this.#task.session }, appended);
  }

  /** Returns the hash under which the receipt names it; what the events of the step say is not stored again. */
  frame(frame: RecordedFrame['frame']): string {
    const sha256 = `sha256:${hash('sha256', JSON.stringify(frame), 'hex')}`;
    const head = { key: `${ROUTE}:1`, at: this.time, sha256, after: this.#after };
    const row = encodeFrameRow([{ ...head, turn: { session_binding: null }, frame }], this.#events);
    this.record(frameKey(this.#task.id, 1), row);
    return sha256;
  }

  record(key: string, content: Buffer | string): void {
    this.records.push([key, seal(content, key)]);
  }
}

function taskResource({ id, session, input, createdAt }: LeastTask): JsonObject {
  const times = { created_at: createdAt, updated_at: createdAt, metadata: {}, session_id: session };
  const none = { persona_id: null, branch_id: null, parent_task_id: null, receipt_id: null, quota_id: null };
  const later = { outcome_id: null, started_at: null, completed_at: null, canceled_at: null, failure: null };
  const by = { created_by: 'actor_bench', assigned_agent_id: ROUTE };
  const state = { workspace_id: WORKSPACE, status: 'SUBMITTED', input };
  return { id, object: 'task', ...times, ...state, ...by, ...none, ...later };
}

function runOf(
  task: LeastTask,
  time: string,
  subject: RunRecord['subject'],
  materials: RunRecord['materials'],
): RunRecord {
  const ids = { sessionId: task.session, taskId: task.id, workspaceId: WORKSPACE, traceId: task.trace };
  const times = { createdAt: task.createdAt, startedAt: task.createdAt, completedAt: time };
  return {
    subject,
    identifiers: { tenantId: 'tenant_default', personaRef: null, branchId: null, ...ids },
    lifecycle: { ...times, finalState: 'SUCCEEDED', failure: null },
    trust: { startTier: 'act_auto', endTier: 'act_auto', policyRef: 'policy.default_tier' },
    wallTimeMs: 0,
    materials,
    networkEgress: [],
    metadata: { route: ROUTE, turns: 1 },
    ...NONE,
  };
}

function issued(
  place: ReceiptPlace,
  subject: RunRecord['subject'],
  hashOf: string,
  logIndex: number,
): JsonObject {
  const links = { receipt_hash: hashOf, previous_receipt_hash: place.previousHash };
  const by = { issuer: place.issuer.id, key_id: place.keyId, log_index: logIndex, follows: 'session' };
  const about = { object: subject.object, id: subject.id };
  return { receipt_id: place.receiptId, ...links, subject: about, final_state: 'SUCCEEDED', ...by };
}

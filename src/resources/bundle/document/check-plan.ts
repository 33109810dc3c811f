import { createHash } from 'node:crypto';
import type { Event } from '#eventlog/event-log.ts';
import { canonicalJson } from '#json/canonical.ts';
import { parseStrictText } from '#json/strict-parse.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { VerificationKeys } from '#receipts/verification-keys.ts';
import { ChainVerifier } from '#receipts/verify-chain.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { OuterAsset } from './outer-assets.ts';
import { inTurns, paced, type Turn } from './paced.ts';
import type { Plan } from './restore-plan.ts';

const EVENTS = '$.replay.run_record.harn_gateway.events';
const FRAMES = '$.replay.run_record.harn_gateway.frames';

/** Most events that one import restores: a bundle of two bytes a turn could ask for days of work. */
const MAX_EVENTS = 1_000_000;

/** What a plan restores, once all of it is checked. */
export interface CheckedPlan {
  /** The same for every bundle that restores the same. */
  digest: string;
  events: number;
  tasks: string[];
  /** Artifacts with all of their content, by the numbers of its pieces. */
  pieces: ReadonlyMap<string, PieceRange>;
  /** Each is read again when it is written. */
  assets: readonly (() => OuterAsset)[];
}

/**
 * Reads everything before anything is written: events in the order of their log, frames in theirs, receipts that are what the
 * events say and that verify. Throws InvalidBundleError.
 */
export async function checkPlan(
  plan: Plan,
  keys: VerificationKeys,
  turn: Turn,
  maxEvents: number = MAX_EVENTS,
): Promise<CheckedPlan> {
  const digest = new PlanDigest(plan);
  const { issued, artifacts, ...found } = await checkEvents(plan, digest, turn, maxEvents);
  await checkFrames(plan, digest, new Set(found.tasks), turn);
  const pieces = await checkPieces(plan, digest, artifacts, turn);
  await checkReceipts(plan, digest, { issued, keys }, turn);
  const assets = await inTurns(plan.outerAssets(new Set(artifacts.keys())), turn);
  await checkAssets(assets, digest, turn);
  return { ...found, pieces, assets, digest: digest.end() };
}

/** Which pieces, or parts, an Artifact has in the end: from `first` up to `end`. */
export interface PieceRange {
  first: number;
  end: number;
}

/** Hash over what is restored, row by row. */
class PlanDigest {
  readonly #hash = createHash('sha256');

  constructor({ mode, sessionId, workspaceId }: Plan) {
    this.#hash.update(canonicalJson([mode, sessionId, workspaceId]));
  }

  add(...row: JsonValue[]): void {
    this.#hash.update(`${canonicalJson(row)}\n`);
  }

  end(): string {
    return this.#hash.digest('hex');
  }
}

interface CheckedEvents extends Pick<CheckedPlan, 'events' | 'tasks'> {
  /** Receipts that the events name. */
  issued: JsonObject[];
  /** Those that the events make. */
  artifacts: ReadonlyMap<string, PieceRange>;
}

async function checkEvents(
  plan: Plan,
  digest: PlanDigest,
  turn: Turn,
  maxEvents: number,
): Promise<CheckedEvents> {
  const seen = {
    tasks: new Set<string>(),
    ended: new Set<string>(),
    artifacts: new Map<string, PieceRange>(),
  };
  const receipts: JsonObject[] = [];
  let newest = '';
  let count = 0;
  for await (const { event, sha256, ownHash } of paced(plan.checkedEvents(), turn)) {
    const where = `${EVENTS}[${count}]`;
    if (count === maxEvents)
      throw fault(where, `there are more than ${maxEvents} events; hand on a shorter run`);
    digest.add(sha256, ownHash);
    const { id, event: kind, payload, resource, previous_event_id, session_id } = event;
    if (id <= newest) throw fault(where, `the event id ${id} is there twice, or out of order`);
    if (previous_event_id !== null && previous_event_id >= id)
      throw fault(where, `previous_event_id ${previous_event_id} does not come before ${id}`);
    if (session_id !== plan.sessionId) throw fault(where, 'the event is of another session');
    if (count === 0 && (kind !== 'session.created' || resource.id !== plan.sessionId))
      throw fault(where, 'the record does not begin with the session');
    if (kind === 'task.submitted') takeTask(seen.tasks, resource.id, payload, where);
    if (event.task_id !== null && kind !== 'receipt.issued' && !isKnown(seen, event.task_id, kind))
      throw fault(where, `the task ${event.task_id} was not submitted`);
    if (resource.object === 'artifact') takeArtifact(seen.artifacts, event);
    if (kind === 'receipt.issued') receipts.push({ id: resource.id, hash: payload['receipt_hash'] ?? null });
    if (/^task\.(?:completed|failed|canceled)$/.test(kind)) seen.ended.add(resource.id);
    newest = id;
    count += 1;
  }
  const open = [...seen.tasks].find((id) => !seen.ended.has(id));
  if (open !== undefined) throw fault(EVENTS, `the task ${open} has not ended`);
  if (count === 0) throw fault(EVENTS, 'there is no event');
  return { events: count, tasks: [...seen.tasks], issued: receipts, artifacts: seen.artifacts };
}

/** In some orders a message comes before the task that it submits. */
function isKnown({ tasks }: { tasks: ReadonlySet<string> }, taskId: string, kind: string): boolean {
  return tasks.has(taskId) || kind === 'user.message' || kind.startsWith('artifact.');
}

function takeTask(tasks: Set<string>, id: string, payload: JsonObject, where: string): void {
  if (tasks.has(id)) throw fault(where, `the task ${id} is there twice`);
  const { replay } = payload as { replay?: { source_task_id?: string } };
  const source = replay?.source_task_id;
  if (source !== undefined && !tasks.has(source))
    throw fault(where, `the task ${id} replays ${source}, which does not come before it`);
  tasks.add(id);
}

/** As the folds count: new parts follow the old ones, or stand in their place. */
function takeArtifact(
  artifacts: Map<string, PieceRange>,
  { event, resource, payload }: Pick<Event, 'event' | 'resource' | 'payload'>,
): void {
  const { pieces, append } = payload as { pieces?: number; append?: boolean };
  const before = artifacts.get(resource.id);
  if (before === undefined && event !== 'artifact.created') return;
  if (event === 'artifact.redacted') artifacts.set(resource.id, { first: 0, end: 0 });
  if (pieces === undefined) return;
  const first = append ? before?.first : before?.end;
  artifacts.set(resource.id, { first: first ?? 0, end: pieces });
}

/** Numbered from 1 without gaps, per task. */
async function checkFrames(
  plan: Plan,
  digest: PlanDigest,
  tasks: ReadonlySet<string>,
  turn: Turn,
): Promise<void> {
  const next = new Map<string, number>();
  let index = 0;
  for await (const { row, ownHash } of paced(plan.checkedFrames(), turn)) {
    digest.add(row.task_id, row.n, row.sha256, ownHash);
    const where = `${FRAMES}[${index}]`;
    const expected = next.get(row.task_id) ?? 1;
    if (!tasks.has(row.task_id)) throw fault(where, `the task ${row.task_id} was not submitted`);
    if (row.n !== expected)
      throw fault(where, `frame ${row.n} of ${row.task_id} is there twice, or out of order`);
    next.set(row.task_id, expected + 1);
    index += 1;
  }
}

async function checkReceipts(
  plan: Plan,
  digest: PlanDigest,
  { issued, keys }: { issued: readonly JsonObject[]; keys: VerificationKeys },
  turn: Turn,
): Promise<void> {
  const verifier = new ChainVerifier({ keys, receipts: 'whole' });
  let index = 0;
  for await (const text of paced(plan.receipts(), turn)) {
    digest.add(text);
    const where = `$.metadata.receipts[${index}]`;
    const receipt = parseStrictText(text) as JsonObject;
    const { ok, step, expected, observed } = verifier.take(receipt);
    if (!ok)
      throw fault(where, `the receipt does not verify: ${step}: expected ${expected}, observed ${observed}`);
    const { receipt_id, chain } = receipt as { receipt_id?: string; chain?: { receipt_hash?: string } };
    const found = issued[index];
    if (found?.['id'] !== receipt_id || found?.['hash'] !== chain?.receipt_hash)
      throw fault(where, `the receipt ${receipt_id} is not the one that the events name here`);
    if (canonicalJson(receipt) !== text) throw fault(where, 'the receipt is not in its canonical bytes');
    index += 1;
  }
  if (index !== issued.length)
    throw fault('$.metadata.receipts', `${issued.length} receipts are named, and ${index} are there`);
}

async function checkPieces(
  plan: Plan,
  digest: PlanDigest,
  artifacts: ReadonlyMap<string, PieceRange>,
  turn: Turn,
): Promise<Map<string, PieceRange>> {
  const next = new Map([...artifacts].map(([id, { first }]) => [id, first]));
  for await (const { row } of paced(plan.pieces(), turn)) {
    const { artifact_id: id, n, sha256 } = row;
    digest.add(id, n, sha256);
    if (!artifacts.has(id))
      throw fault('$.replay.run_record.harn_gateway.pieces', `no event names the artifact ${id}`);
    if (n === next.get(id)) next.set(id, n + 1);
  }
  return new Map([...artifacts].filter(([id, { first, end }]) => end > first && next.get(id) === end));
}

async function checkAssets(
  assets: readonly (() => OuterAsset)[],
  digest: PlanDigest,
  turn: Turn,
): Promise<void> {
  for (const read of assets) {
    const { content, ...described } = read();
    digest.add({ ...described, content: content !== undefined });
    await turn();
  }
}

function fault(path: string, why: string): InvalidBundleError {
  return new InvalidBundleError('references', path, `${path}: ${why}`);
}

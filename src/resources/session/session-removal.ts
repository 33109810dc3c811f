import { keysOf } from '#core/list-page.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { EventLog, RowRemoval, State, Transaction } from '#eventlog/event-log.ts';
import { type ArtifactState, artifactKeys } from '#resources/artifact/state.ts';
import { contentKeys } from '#resources/artifact/stored-bytes.ts';
import {
  type ContentState,
  contentOfArtifact,
  type StoredContent,
} from '#resources/artifact/stored-content.ts';
import { holdOn } from '#resources/hold/held.ts';
import { MEMORY_LISTS } from '#resources/memory/state.ts';
import { artifactIdsOf } from '#resources/message/schema.ts';
import { type MessageState, messageKeys } from '#resources/message/state.ts';
import type { OutcomeState } from '#resources/outcome/state.ts';
import { permissionKeys, type RememberedState } from '#resources/permission/state.ts';
import { type ReceiptChainState, type ReceiptState, receiptKeys } from '#resources/receipt/state.ts';
import type { Copies } from '#resources/room.ts';
import {
  baseKey,
  KEY_KINDS,
  layoutKey,
  partsOf,
  receiptKey,
  streamCutKey,
  tombstoneKey,
} from '#store/keys.ts';
import type { PartTombstone, Tombstone } from './fold.ts';
import type { Session } from './schema.ts';
import { sessionKeys, type TurnBlockState } from './state.ts';
import { messagesOf } from './transcript/turns.ts';

/** Rows removed in one transaction: small, so that no request waits behind it. */
const BATCH = 500;

/** The tombstone of a session that is gone; undefined for every other. */
export function tombstoneOf(log: Pick<EventLog, 'record'>, sessionId: string): Tombstone | undefined {
  const content = log.record(tombstoneKey(sessionId));
  return content && (JSON.parse(content.toString('utf8')) as Tombstone);
}

export type Change = (state: State) => State | undefined;

/** A removal in the name of an erasure: nothing that was said lives on elsewhere, and what goes is recorded. */
export interface Erasing {
  erasureId: string;
  /** What is left of a Message that a fork shows. */
  blank(message: MessageState): MessageState;
  /** Records in the same transaction what goes in it. */
  record(tx: Transaction, gone: GoneInBatch): void;
  /** Set where only a part of the Sessions goes, and they stay. */
  part?: PartOfSession;
}

/** What of a Session goes that stays itself. */
export interface PartOfSession {
  /** What becomes of a resource of it: it goes, or changes; undefined: it stays as it is. */
  of(object: string, state: Resource): 'goes' | Change | undefined;
  /** Other rows that change. */
  changes: ReadonlyMap<string, Change>;
  /** Whether the names go that its maker knows it by. */
  forgetsKeys: boolean;
  /** Key of the record that stands for the receipts that went. */
  recordKey: string;
}

/** What goes in one transaction: ids of resources, by the names of their objects. */
export interface GoneInBatch {
  ids: Readonly<Record<string, readonly string[]>>;
  receipts: readonly GoneReceipt[];
}

interface GoneReceipt {
  receipt_id: string;
  task_id: string;
  receipt_hash: string;
  log_index: number;
  /** Its place in the chain of its Session, and the receipt before it there; absent where it was no link of it. */
  chain?: { index: number; previous_id: string | null };
}

/** A derived row that goes, or loses a part (`change`), and what goes with it. */
interface Unit {
  row: string;
  change?: Change;
  /** Primary records. */
  erased?: string[];
  content?: StoredContent | undefined;
  /** Of a receipt. */
  receipt?: Omit<GoneReceipt, 'receipt_id'>;
  /** Set for a resource. */
  named?: { object: string; id: string };
}

export interface Resource {
  resource: { id: string; session_id?: string | null; task_id?: string | null };
}

/** Resources that belong to a session. Memories have a life of their own. */
const OWNED: ReadonlySet<string> = new Set([
  'task',
  'message',
  'artifact',
  'branch',
  'permission_request',
  'receipt',
]);

/** Folds of a Session that stay as long as it does. */
const OF_WHOLE: ReadonlySet<string> = new Set(['turns', 'tasks', 'receipt-chain', 'import', 'sb', 'cs']);

/** Lists answers for good, which outlive the session of their question. */
const REMEMBERED = 'l/remembered/';

/**
 * Removes sessions whose history is gone: all rows that were folded from it with their base, the receipts, and contents that
 * nothing else refers to. What belongs to them is found by going through the base once, since all that was folded from removed
 * events is there. Messages that a fork has copied stay, with the artifacts they name, until no transcript has them any more.
 * The session itself goes last, so that a crash in between leaves it to the next sweep.
 */
export class SessionRemoval {
  readonly #log: EventLog;
  readonly #sessions: ReadonlyMap<string, Session>;
  readonly #removedAt: string;
  readonly #erasing: Erasing | undefined;
  readonly #gone = new Map<string, boolean>();
  /** What goes, by session and by row. */
  readonly #units = new Map<string, Map<string, Unit>>();
  /** The session of each resource that goes, by its id. */
  readonly #owners = new Map<string, string>();

  constructor(log: EventLog, sessions: readonly Session[], removedAt: string, erasing?: Erasing) {
    this.#erasing = erasing;
    this.#log = log;
    this.#sessions = new Map(sessions.map((session) => [session.id, session]));
    this.#removedAt = removedAt;
  }

  /** Returns how many sessions went, and reports the keys that did. `isStopped` is asked between transactions. */
  async run(isStopped: () => boolean, onRemoved: (key: string) => void): Promise<number> {
    await this.#findResources();
    await this.#findFolds();
    await this.#findLists();
    let removed = 0;
    for (const id of this.#sessions.keys())
      if (this.#erasing?.part && !this.#units.has(id)) this.#units.set(id, new Map());
    for (const [id, units] of this.#units) {
      const all = [...units.values()];
      if (this.#sessions.has(id)) all.push(...this.#unitsOfSession(id));
      let isWhole = true;
      for (let at = 0; isWhole && at < all.length; at += BATCH) {
        if (isStopped()) return removed;
        const units = all.slice(at, at + BATCH);
        isWhole = await this.#log.removeRows(this.#removalOf(id, units));
        for (const { row, erased = [] } of isWhole ? units : [])
          for (const key of [row, baseKey(row), ...erased]) onRemoved(key);
      }
      if (isWhole && this.#sessions.has(id)) removed += 1;
    }
    return removed;
  }

  #unitsOfSession(id: string): Unit[] {
    const part = this.#erasing?.part;
    if (part !== undefined) return Array.from(part.changes, ([row, change]) => ({ row, change }));
    return [{ row: sessionKeys.session(id), erased: [streamCutKey('session', id)] }];
  }

  async #findResources(): Promise<void> {
    for (const object of OWNED)
      for await (const row of this.#log.baseKeys(`${KEY_KINDS.resource.prefix}${object}/`)) {
        const state = this.#state<Resource>(row);
        const owner = state?.resource.session_id;
        if (state === undefined || !owner || !this.#isGone(owner)) continue;
        const part = this.#erasing?.part ? this.#erasing.part.of(object, state) : 'goes';
        if (part === undefined) continue;
        const named = { object, id: state.resource.id };
        if (part !== 'goes') {
          this.#add(owner, { row, change: part, named });
          continue;
        }
        const unit = await this.#unitOf(object, row, state);
        if (unit === undefined) continue;
        this.#add(owner, { ...unit, named });
        this.#owners.set(state.resource.id, owner);
      }
    for await (const row of this.#log.baseKeys(`${KEY_KINDS.resource.prefix}dead_letter/`)) {
      const letter = this.#state<Resource>(row)?.resource;
      const owner = this.#owners.get(letter?.task_id ?? '');
      if (letter === undefined || owner === undefined) continue;
      this.#add(owner, { row });
      this.#owners.set(letter.id, owner);
    }
  }

  /** Undefined for what outlives its session. */
  async #unitOf(object: string, row: string, state: Resource): Promise<Unit | undefined> {
    const { id } = state.resource;
    switch (object) {
      case 'task':
        return { row, erased: [streamCutKey('task', id)] };
      case 'receipt': {
        const { resource, internal } = state as ReceiptState;
        return { row, receipt: goneReceipt(resource.task_id, internal), erased: [receiptKey(id)] };
      }
      case 'artifact': {
        const parts = await this.#keys(partsOf(id));
        return { row, content: contentOfArtifact(state as ArtifactState), erased: [layoutKey(id), ...parts] };
      }
      case 'permission_request':
        // Its answer counts on, and is listed under it.
        if (this.#erasing !== undefined) return { row };
        return this.#state(permissionKeys.rememberedRequest(id)) === undefined ? { row } : undefined;
      default:
        return { row };
    }
  }

  async #findFolds(): Promise<void> {
    const isPart = this.#erasing?.part !== undefined;
    for await (const row of this.#log.baseKeys(KEY_KINDS.fold.prefix)) {
      const [, name = '', owner = ''] = row.split('/');
      if (name === 'turns' && !isPart && !this.#isGone(owner)) {
        if (this.#erasing === undefined) this.#keepCopied(row);
        else this.#blankCopied(row, this.#erasing);
      }
      if (name === 'asset') this.#findCopies(row);
      const session = this.#ownerOfFold(row, name, owner);
      if (session !== undefined) this.#add(session, { row });
    }
  }

  #ownerOfFold(row: string, name: string, owner: string): string | undefined {
    const part = this.#erasing?.part;
    if (part !== undefined && (OF_WHOLE.has(name) || (name === 'ks' && !part.forgetsKeys))) return undefined;
    switch (name) {
      case 'turns':
      case 'tasks':
      case 'receipt-chain':
      case 'import':
      case 'sb':
        return this.#isGone(owner) ? owner : undefined;
      case 'um':
      case 'ua':
      case 'ac':
      case 'up':
      case 'push':
      case 'run':
        return this.#owners.get(owner);
      case 'rq':
      case 'rp':
        return this.#erasing && this.#ownerOfRemembered(row, name, owner);
      case 'outcome':
        return this.#owners.get(this.#state<OutcomeState>(row)?.task_id ?? '');
      case 'ks':
      case 'cs': {
        const session = this.#state<{ session_id: string }>(row)?.session_id;
        return session !== undefined && this.#isGone(session) ? session : undefined;
      }
      default:
        return undefined;
    }
  }

  /** Imports brought artifacts under other ids, which this fold knows. */
  #findCopies(row: string): void {
    const copies = Object.values(this.#state<Copies>(row)?.copies ?? {});
    for (const id of copies) {
      const owner = this.#owners.get(id);
      if (owner !== undefined) this.#add(owner, { row, change: (state) => withoutCopy(state as Copies, id) });
    }
  }

  /** A fork has these turns. */
  #keepCopied(row: string): void {
    for (const id of messagesOf(this.#state<TurnBlockState>(row))) {
      if (!this.#owners.has(id)) continue;
      this.#keep(id, messageKeys.message(id));
      const parts = this.#state<MessageState>(messageKeys.message(id))?.resource.parts ?? [];
      for (const artifact of artifactIdsOf(parts)) this.#keep(artifact, artifactKeys.artifact(artifact));
    }
  }

  /** A fork has these turns: they keep their places, and say nothing. */
  #blankCopied(row: string, { blank }: Erasing): void {
    for (const id of messagesOf(this.#state<TurnBlockState>(row))) {
      const owner = this.#owners.get(id);
      const unit = this.#units.get(owner ?? '')?.get(messageKeys.message(id));
      if (unit !== undefined) unit.change = (state) => blank(state as MessageState);
    }
  }

  /** The session whose question an answer for good was given to. */
  #ownerOfRemembered(row: string, name: string, request: string): string | undefined {
    const id = name === 'rq' ? request : this.#state<RememberedState>(row)?.request_id;
    return this.#owners.get(id ?? '');
  }

  #keep(id: string, row: string): void {
    this.#units.get(this.#owners.get(id) ?? '')?.delete(row);
    this.#owners.delete(id);
  }

  get #keptLists(): readonly string[] {
    return this.#erasing === undefined ? [MEMORY_LISTS, REMEMBERED] : [MEMORY_LISTS];
  }

  /** Lists name what they list, and whose it is. */
  async #findLists(): Promise<void> {
    for await (const row of this.#log.baseKeys(KEY_KINDS.list.prefix)) {
      if (this.#keptLists.some((prefix) => row.startsWith(prefix))) continue;
      const [listed = '', of = ''] = row.split('/').reverse();
      const ofWhole = this.#erasing?.part ? [] : [listed, of];
      const owner =
        this.#owners.get(listed) ?? this.#owners.get(of) ?? ofWhole.find((id) => this.#sessions.has(id));
      if (owner !== undefined) this.#add(owner, { row });
    }
  }

  #removalOf(sessionId: string, units: readonly Unit[]): RowRemoval {
    const contents = units.flatMap(({ content }) => content ?? []);
    const changes = new Map<string, Change>();
    const change = (key: string, next: Change) => {
      const earlier = changes.get(key) ?? ((state) => state);
      changes.set(key, (state) => {
        const left = earlier(state);
        return left && next(left);
      });
    };
    for (const unit of units) if (unit.change !== undefined) change(unit.row, unit.change);
    for (const { scope, sha256 } of contents) change(artifactKeys.content(scope, sha256), withoutReference);
    return {
      rows: units.filter((unit) => unit.change === undefined).map(({ row }) => row),
      changes,
      erased: (after) => [
        ...units.flatMap(({ erased }) => erased ?? []),
        ...contents
          .filter(({ scope, sha256 }) => after.get(artifactKeys.content(scope, sha256)) === undefined)
          .flatMap(contentKeys),
      ],
      ...(this.#erasing && { also: (tx) => this.#erasing?.record(tx, goneIn(units)) }),
      isKept: (states) => holdOn(states, sessionId, this.#removedAt) !== undefined,
      record: this.#recordOf(sessionId, units),
    };
  }

  #recordOf(sessionId: string, units: readonly Unit[]): NonNullable<RowRemoval['record']> {
    const { part, erasureId = '' } = this.#erasing ?? {};
    if (part !== undefined)
      return {
        key: part.recordKey,
        next: (before) => JSON.stringify(partTombstone(erasureId, sessionId, before, units)),
      };
    return {
      key: tombstoneKey(sessionId),
      next: (before) => JSON.stringify(this.#tombstone(sessionId, before, units)),
    };
  }

  #tombstone(sessionId: string, before: Buffer | undefined, units: readonly Unit[]): Tombstone {
    const known: Tombstone =
      before === undefined ? this.#newTombstone(sessionId) : JSON.parse(before.toString('utf8'));
    return {
      ...known,
      tasks: known.tasks + units.filter(({ named }) => named?.object === 'task').length,
      receipts: [...known.receipts, ...units.flatMap(({ receipt }) => receipt?.log_index ?? [])].sort(
        (a, b) => a - b,
      ),
    };
  }

  #newTombstone(sessionId: string): Tombstone {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new Error(`${sessionId} is no session that goes.`);
    const chain = this.#state<ReceiptChainState>(receiptKeys.receiptChain(sessionId));
    return {
      session_id: sessionId,
      workspace_id: session.workspace_id,
      created_at: session.created_at,
      closed_at: session.updated_at,
      removed_at: this.#removedAt,
      last_event_id: session.last_event_id,
      tasks: 0,
      receipts: [],
      receipt_chain_head: chain?.head ?? null,
      ...(this.#erasing && { erasure_id: this.#erasing.erasureId }),
    };
  }

  #isGone(sessionId: string): boolean {
    const known = this.#gone.get(sessionId);
    if (known !== undefined) return known;
    const isLeftover = () => this.#erasing === undefined && tombstoneOf(this.#log, sessionId) !== undefined;
    const isGone = this.#sessions.has(sessionId) || isLeftover();
    this.#gone.set(sessionId, isGone);
    return isGone;
  }

  #add(sessionId: string, unit: Unit): void {
    const units = this.#units.get(sessionId) ?? new Map<string, Unit>();
    units.set(unit.row, unit);
    this.#units.set(sessionId, units);
  }

  async #keys(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const key of keysOf(this.#log, prefix)) keys.push(key);
    return keys;
  }

  /** What is damaged stays: nobody can say whose it is. */
  #state<S extends State>(row: string): S | undefined {
    return unlessDamaged(() => this.#log.state<S>(row), undefined);
  }
}

function goneReceipt(
  task_id: string,
  { hash, log_index, chain_index, previous_id }: ReceiptState['internal'],
): Omit<GoneReceipt, 'receipt_id'> {
  const chain = chain_index === null ? undefined : { index: chain_index, previous_id: previous_id ?? null };
  return { task_id, receipt_hash: hash, log_index, ...(chain && { chain }) };
}

function partTombstone(
  erasure_id: string,
  session_id: string,
  before: Buffer | undefined,
  units: readonly Unit[],
): PartTombstone {
  const known: PartTombstone =
    before === undefined ? { erasure_id, receipts: [], links: [] } : JSON.parse(before.toString('utf8'));
  const receipts = units.flatMap(({ receipt }) => receipt ?? []);
  const links = receipts.flatMap(({ chain, log_index }) => (chain ? [{ log_index, session_id }] : []));
  return {
    erasure_id,
    receipts: [...known.receipts, ...receipts.map(({ log_index }) => log_index)].sort((a, b) => a - b),
    links: [...known.links, ...links],
  };
}

function goneIn(units: readonly Unit[]): GoneInBatch {
  const ids: Record<string, string[]> = {};
  const receipts: GoneInBatch['receipts'][number][] = [];
  for (const { named, receipt } of units) {
    if (named === undefined) continue;
    ids[named.object] = [...(ids[named.object] ?? []), named.id];
    if (receipt === undefined) continue;
    receipts.push({ receipt_id: named.id, ...receipt });
  }
  return { ids, receipts };
}

function withoutCopy({ copies }: Copies, id: string): Copies | undefined {
  const left = Object.entries(copies).filter(([, copy]) => copy !== id);
  return left.length === 0 ? undefined : { copies: Object.fromEntries(left) };
}

function withoutReference(state: State): State | undefined {
  const { size, references } = state as ContentState;
  return references === 1 ? undefined : ({ size, references: references - 1 } satisfies ContentState);
}

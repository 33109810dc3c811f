import type { Event } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/sha256.ts';
import { fromLog, own } from '#protocol/clean.ts';
import type { IdSource } from '#protocol/ids.ts';

/** What makes its resource, by the object its id was drawn for. */
const MADE: Readonly<Record<string, string>> = {
  'user.message': 'message',
  'agent.message': 'message',
  'artifact.created': 'artifact',
  'tool.approval_required': 'permission_request',
  'vendor.harn_gateway.permission_requested': 'permission_request',
};

/**
 * Ids are recorded like everything else that chance decided: a step draws the ids of the events it became, in their order.
 * Where a replay draws more than were recorded, the id is a function of the seed and of how many there were.
 */
export class RecordedIds {
  readonly #seed: string;
  #drawn = new Map<string, string[]>();
  #extra = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Begins the next step. */
  begin(events: readonly Event[]): void {
    this.#drawn = new Map();
    for (const event of events) for (const [object, id] of idsOf(event)) this.#list(object).push(id);
  }

  readonly next: IdSource = (object) => {
    const recorded = this.#list(object).shift();
    if (recorded !== undefined) return fromLog(recorded);
    this.#extra += 1;
    return own(`${object}_${sha256Hex(`${this.#seed}:${object}:${this.#extra}`).slice(0, 26).toUpperCase()}`);
  };

  #list(object: string): string[] {
    const list = this.#drawn.get(object) ?? [];
    this.#drawn.set(object, list);
    return list;
  }
}

function idsOf(recorded: Event): [object: string, id: string][] {
  const receipt: [string, string][] =
    recorded.receipt_id === undefined ? [] : [['receipt', recorded.receipt_id]];
  return [...madeBy(recorded), ...receipt];
}

function madeBy({ event, resource, payload }: Event): [object: string, id: string][] {
  const made = MADE[event];
  if (made !== undefined) return [[made, resource.id]];
  const { outcome, message } = payload as { outcome?: { id: string }; message?: { id: string } };
  if (outcome !== undefined) return [['outcome', outcome.id]];
  return message === undefined ? [] : [['message', message.id]];
}

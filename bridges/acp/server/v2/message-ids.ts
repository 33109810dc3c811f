import type { JsonObject } from '#protocol/json.ts';
import { objectOf, textOf } from '../../../../mappings/acp/json-shape.ts';

/**
 * Ids for pieces of messages whose agent gives none. Pieces of one kind that follow each other are one message, named after
 * the event of the first one, so that a replay gives the same ids.
 */
export class MessageIds {
  readonly #open = new Map<string, { kind: string; id: string }>();

  of(sessionId: string, update: JsonObject): string {
    const kind = textOf(update['sessionUpdate']) ?? '';
    const open = this.#open.get(sessionId);
    if (open?.kind === kind) return open.id;
    const eventId = textOf(objectOf(objectOf(update['_meta'])['harn'])['eventId']) ?? 'live';
    const id = `${kind}:${eventId}`;
    this.#open.set(sessionId, { kind, id });
    return id;
  }
}

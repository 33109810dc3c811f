import type { JsonMend, JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '../../../mappings/acp/json-shape.ts';
import { updateRow } from '../../../mappings/acp/update-kinds.ts';
import { type AcpRecord, updateRecord } from './record.ts';
import { ToolCalls } from './tool-calls.ts';

type Said = Extract<AcpRecord, { op: 'said' }>;

/**
 * Puts the pieces of messages together: a message ends when another one begins, when the agent does something else, or with
 * the turn.
 */
export class Saying {
  readonly calls: ToolCalls;
  readonly #told = new Map<string, number>();
  #open: Said | undefined;

  constructor(heardCalls: Set<string>) {
    this.calls = new ToolCalls(heardCalls);
  }

  /** The records of one update, in order. */
  take(message: JsonObject, mended: JsonMend[]): AcpRecord[] {
    const record = updateRecord(message, mended);
    const update = objectOf(objectOf(message['params'])['update']);
    const row = updateRow(textOf(update['sessionUpdate']) ?? '');
    if (row.home === 'said' && row.voice !== undefined) {
      const ended = this.#continues(row.voice, textOf(update['messageId'])) ? [] : this.end();
      this.#add(row.voice, textOf(update['messageId']), update['content'] ?? null);
      return [...ended, record];
    }
    // What is about the session as a whole may come in the middle of a message.
    const ended = row.home === 'session' ? [] : this.end();
    if (row.home !== 'tool') return [...ended, record];
    return [...ended, { ...record, tool: this.calls.told(update) }];
  }

  /** The message that was under way. */
  end(): AcpRecord[] {
    const said = this.#open;
    this.#open = undefined;
    return said === undefined ? [] : [said];
  }

  #continues(voice: Said['voice'], id: string | undefined): boolean {
    const open = this.#open;
    if (open === undefined || open.voice !== voice) return false;
    return id === undefined || open.id === undefined || open.id.split('#')[0] === id;
  }

  #add(voice: Said['voice'], id: string | undefined, block: JsonValue): void {
    const open = this.#open ?? { op: 'said' as const, voice, ...this.#named(id), blocks: [] };
    this.#open = open;
    const last = open.blocks.at(-1);
    if (isPlainText(block) && last !== undefined && isPlainText(last)) {
      open.blocks[open.blocks.length - 1] = { type: 'text', text: `${last['text']}${block['text']}` };
    } else open.blocks.push(block);
  }

  /** A message that goes on after something else is a second one, with a name of its own. */
  #named(id: string | undefined): { id?: string } {
    if (id === undefined || id.length > 256) return {};
    const count = (this.#told.get(id) ?? 0) + 1;
    this.#told.set(id, count);
    return { id: count === 1 ? id : `${id}#${count}` };
  }
}

function isPlainText(block: JsonValue): block is JsonObject {
  return isObject(block) && block['type'] === 'text' && Object.keys(block).length === 2;
}

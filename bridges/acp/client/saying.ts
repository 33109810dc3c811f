import { isDeepStrictEqual } from 'node:util';
import type { JsonMend, JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import { printedIn, toolNameOf } from '../../../mappings/acp/tool-calls.ts';
import { updateRow } from '../../../mappings/acp/update-kinds.ts';
import { FIXED_LIMITS } from './config.ts';
import { type AcpRecord, type DeniedCall, type ToolFacts, updateRecord } from './record.ts';

type Said = Extract<AcpRecord, { op: 'said' }>;

/**
 * Puts the pieces of messages together: a message ends when another one begins, when the agent does something else, or with
 * the turn.
 */
export class Saying {
  readonly calls: ToolCalls;
  readonly #counts = new Map<string, number>();
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
    return [...ended, { ...record, tool: this.calls.update(update) }];
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
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    return { id: count === 1 ? id : `${id}#${count}` };
  }
}

function isPlainText(block: JsonValue): block is JsonObject {
  return isObject(block) && block['type'] === 'text' && Object.keys(block).length === 2;
}

const MAX_NAME = 200;

interface Call {
  name: string;
  input: JsonValue | undefined;
  status: string;
  /** It was reported as requested. */
  isRequested: boolean;
  /** What somebody was asked to allow. */
  asked: JsonValue | undefined;
  isDenied: boolean;
  printed: string;
}

const ENDED: readonly string[] = ['completed', 'failed'];

/** The tool calls of a turn, put together from what the agent says of them in several updates and questions. */
class ToolCalls {
  readonly #calls = new Map<string, Call>();
  readonly #heard: Set<string>;

  /** Calls of the turn so far. */
  get count(): number {
    return this.#calls.size;
  }

  /** `heard`: ids of the calls that the session's clients know, of earlier turns too. */
  constructor(heard: Set<string>) {
    this.#heard = heard;
  }

  /** What an update is about: the facts that the update itself leaves out. */
  update(update: JsonObject): ToolFacts {
    const isUnheard = this.#isUnheard(update) && update['sessionUpdate'] !== 'tool_call';
    const call = this.#take(update);
    call.printed = (call.printed + printedIn(update)).slice(-FIXED_LIMITS.printedChars);
    const isNew = (!call.isRequested && isKnown(call)) || contradicts(call.asked, update['rawInput']);
    const isShown = ENDED.includes(call.status) && call.printed !== '';
    return {
      ...this.#begun(call, update, isNew),
      ...(isUnheard ? { isUnheard } : {}),
      ...(isShown ? { printed: call.printed } : {}),
    };
  }

  /** What a permission request is about; some agents speak of a call in one for the first time. */
  asked(toolCall: JsonObject): ToolFacts {
    const isUnheard = this.#isUnheard(toolCall);
    const call = this.#take(toolCall);
    call.asked = call.input;
    return { ...this.#begun(call, toolCall, !call.isRequested), ...(isUnheard ? { isUnheard } : {}) };
  }

  /** Somebody said no. */
  denied(toolCall: JsonObject): void {
    const call = this.#calls.get(textOf(toolCall['toolCallId']) ?? '');
    if (call !== undefined) call.isDenied = true;
  }

  /** Calls that were denied and of which the agent says nothing more. */
  leftDenied(): DeniedCall[] {
    return [...this.#calls].flatMap(([id, { name, isDenied, status }]) =>
      isDenied && !ENDED.includes(status) ? [{ id, name }] : [],
    );
  }

  #begun(call: Call, { rawInput }: JsonObject, isNew: boolean): ToolFacts {
    call.isRequested ||= isNew;
    const { name, input } = call;
    const isEarlier = isNew && rawInput === undefined && input !== undefined;
    return { name, isNew, ...(isEarlier ? { input } : {}) };
  }

  /** Whether it is spoken of for the first time; of a very long session the oldest calls are forgotten. */
  #isUnheard(said: JsonObject): boolean {
    const id = textOf(said['toolCallId']) ?? '';
    if (this.#heard.has(id)) return false;
    this.#heard.add(id);
    const [oldest] = this.#heard;
    if (this.#heard.size > FIXED_LIMITS.heardCalls && oldest !== undefined) this.#heard.delete(oldest);
    return true;
  }

  #take(said: JsonObject): Call {
    const id = textOf(said['toolCallId']) ?? '';
    const name = (toolNameOf(said) ?? 'tool').slice(0, MAX_NAME);
    const begun = { name, input: undefined, status: 'pending', isRequested: false, asked: undefined };
    const call = this.#calls.get(id) ?? { ...begun, isDenied: false, printed: '' };
    this.#calls.set(id, call);
    call.input = said['rawInput'] ?? call.input;
    call.status = textOf(said['status']) ?? call.status;
    return call;
  }
}

/** An empty input of a call that is pending is one that is still written. */
function isKnown({ input, status }: Call): boolean {
  return status !== 'pending' || !isObject(input) || Object.keys(input).length > 0;
}

/**
 * Whether a call that was asked for is made with something else. What only one of them names, and numbers, are times and ids
 * of processes, which agents do not know when they ask.
 */
function contradicts(asked: JsonValue | undefined, made: JsonValue | undefined): boolean {
  if (asked === undefined || made === undefined) return false;
  if (!isObject(asked) || !isObject(made)) return !isDeepStrictEqual(asked, made);
  return Object.entries(asked).some(([name, value]) => {
    const now = Object.hasOwn(made, name) ? made[name] : undefined;
    return now !== undefined && typeof now !== 'number' && !isDeepStrictEqual(now, value);
  });
}

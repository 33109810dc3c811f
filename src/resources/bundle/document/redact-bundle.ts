import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { PLACEHOLDER, type Redaction } from '#redaction/marker.ts';
import type { BundleMode, RedactionEntry } from '../session-bundle-schema.ts';
import { atIndex, atMember } from './json-path.ts';
import type { RedactionEntries } from './redaction-entries.ts';

/** Stands for a payload that a replay-only bundle does not bring. */
export const WITHHELD = '[withheld]';

/** Literal of `redaction.policy` where something may have been replaced. Readers of bundles compare with it. */
export const REDACTION_POLICY = 'harn_vm::redact::RedactionPolicy::default+session_bundle_local_paths';

/** Pass 3: members whose value is what somebody wrote or a tool said. See README.md, The three passes. */
const PAYLOADS: ReadonlySet<string> = new Set([
  'args',
  'arguments',
  'blocks',
  'content',
  'data',
  'private_reasoning',
  'prompt',
  'raw_input',
  'raw_output',
  'result',
  'response_text',
  'summary',
  'system',
  'system_prompt',
  'task',
  'text',
  'thinking',
  'visible_text',
]);

/** Where the gateway's own record of the run stands; its words for payloads are those of the protocol. */
const GATEWAY_RECORD = '$.replay.run_record.harn_gateway';
const GATEWAY_PAYLOADS: ReadonlySet<string> = new Set([
  ...PAYLOADS,
  'answer',
  'binding',
  'body',
  'details',
  'message',
  'output',
  'session_binding',
  'update',
  'value',
]);

/** What an agent said when it failed. */
const FAILURE = /^\$\.replay\.run_record\.stages\[\d+\]\.failure$/;

/** Pass 2: lists of pointers, whose items say in `path` where a file lies. */
const POINTER_LISTS = /(?:^|\.)(?:additional_roots|event_log_pointers|transcript_pointers)\[\d+\]$/;

/** Takes out of a piece of a bundle what may not leave, and notes every replacement. */
export interface PieceRedactor {
  redactForBundle(value: JsonValue): Redaction;
}

/** The three passes over a bundle that is written piece by piece; `entries` grows with what is replaced. */
export class BundleRedaction {
  readonly entries: RedactionEntries;
  readonly #mode: BundleMode;
  readonly #redactor: PieceRedactor;

  constructor(mode: BundleMode, redactor: PieceRedactor, entries: RedactionEntries) {
    this.#mode = mode;
    this.#redactor = redactor;
    this.entries = entries;
  }

  /** A member of the object at `path`; its name may be replaced too. */
  member(path: string, name: string, value: JsonValue): [name: string, value: JsonValue] {
    if (this.#mode === 'local') return [name, value];
    const clean = this.#clean(path, { [name]: value }) as JsonObject;
    return Object.entries(clean)[0] ?? [name, null];
  }

  /** An item of a list; `path` is its own. */
  item(path: string, value: JsonValue): JsonValue {
    return this.#mode === 'local' ? value : this.#clean(path, value);
  }

  #clean(path: string, value: JsonValue): JsonValue {
    const { value: clean, hits } = this.#redactor.redactForBundle(value);
    for (const hit of hits) this.#note(joined(path, hit.path), hit.class, 'replaced', hit.replacement);
    return this.#hide(clean, path);
  }

  /** Passes 2 and 3, over what pass 1 left. */
  #hide(value: JsonValue, path: string): JsonValue {
    if (Array.isArray(value)) return value.map((item, index) => this.#hide(item, atIndex(path, index)));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.#member(name, item, path)]),
    );
  }

  #member(name: string, value: JsonValue, path: string): JsonValue {
    const own = atMember(path, name);
    if (value === null) return null;
    if (name === 'path' && POINTER_LISTS.test(path) && value !== PLACEHOLDER)
      return this.#note(own, 'sensitive_field', 'replaced', PLACEHOLDER);
    if (this.#mode === 'replay_only' && this.#isPayload(name, value, path) && value !== WITHHELD)
      return this.#note(own, 'prompt_or_tool_payload', 'withheld', WITHHELD);
    return this.#hide(value, own);
  }

  /** In the words of the protocol `message` is also a resource, whose content is hidden by the names in it. */
  #isPayload(name: string, value: JsonValue, path: string): boolean {
    const lower = name.toLowerCase();
    if (FAILURE.test(path) && lower === 'message') return true;
    if (!path.startsWith(GATEWAY_RECORD)) return PAYLOADS.has(lower);
    if (lower === 'message') return typeof value === 'string';
    if (lower === 'input') return !isMessage(value);
    return GATEWAY_PAYLOADS.has(lower);
  }

  #note(
    path: string,
    kind: RedactionEntry['class'],
    action: RedactionEntry['action'],
    replacement: string,
  ): string {
    this.entries.add({ path, class: kind, action, replacement });
    return replacement;
  }
}

function isMessage(value: JsonValue): boolean {
  return isObject(value) && Array.isArray(value['parts']);
}

/** A path of the redaction engine is relative to the piece it was given. */
function joined(path: string, relative: string): string {
  if (relative === '') return path;
  return relative.startsWith('[') ? path + relative : `${path}.${relative}`;
}

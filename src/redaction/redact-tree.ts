import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Redaction, RedactionHit, TextRedaction } from './marker.ts';
import { PLACEHOLDER } from './marker.ts';
import { hideSplitSecrets } from './split-secrets.ts';

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** No pattern matches less, so short names and words are passed unread. */
export const MIN_TEXT_LENGTH = 8;

export interface TreeRules {
  /** Names in which nothing was found; asked first, because most are. */
  cleanNames: Pick<ReadonlyMap<string, unknown>, 'has'>;
  /** Texts that `redactText` would return as they are, asked like the names. */
  cleanTexts: { readonly newer: Pick<ReadonlySet<string>, 'has'> };
  redactText: (text: string) => TextRedaction;
  redactName: (name: string) => TextRedaction;
  /** Members whose whole value becomes the placeholder; null and the placeholder itself stay. */
  isSecretName?: (name: string) => boolean;
}

/**
 * Applies the rules to every string and member name of a value. Parts without a hit are kept as they are, not copied.
 * Recurses, so the value must be as shallow as the strict JSON reader lets through.
 */
export function redactTree(value: JsonValue, rules: TreeRules): Redaction {
  const walk = new TreeWalk(rules);
  return { value: walk.value(value), hits: walk.hits };
}

class TreeWalk {
  readonly hits: RedactionHit[];
  private readonly rules: TreeRules;
  private readonly steps: (string | number)[];

  constructor(rules: TreeRules) {
    this.rules = rules;
    this.hits = [];
    this.steps = [];
  }

  value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (value === null || typeof value !== 'object') return value;
    return Array.isArray(value) ? this.array(value) : this.object(value);
  }

  private text(text: string): string {
    if (text.length < MIN_TEXT_LENGTH || this.rules.cleanTexts.newer.has(text)) return text;
    const clean = this.rules.redactText(text);
    if (clean.hits.length === 0) return text;
    for (const { name, replacement } of clean.hits) this.hit({ class: 'secret_pattern', name, replacement });
    return clean.text;
  }

  private array(given: JsonValue[]): JsonValue[] {
    const items = given.length < 2 ? given : this.unsplit(given);
    let copy: JsonValue[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index] ?? null;
      this.steps.push(index);
      const clean = this.value(item);
      this.steps.pop();
      if (clean !== item) copy ??= items.slice(0, index);
      copy?.push(clean);
    }
    return copy ?? items;
  }

  /** Secrets that neighbouring text parts share are hidden first; each part is looked at by itself after that. */
  private unsplit(items: JsonValue[]): JsonValue[] {
    const found = hideSplitSecrets(items, this.rules.redactText);
    for (const { index, name, replacement } of found.hits) {
      this.steps.push(index, 'text');
      this.hit({ class: 'secret_pattern', name, replacement });
      this.steps.length -= 2;
    }
    return found.items;
  }

  private object(source: JsonObject): JsonObject {
    const names = Object.keys(source);
    const { cleanNames, cleanTexts, isSecretName } = this.rules;
    let copy: JsonObject | undefined;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      const item = source[name] ?? null;
      // Nearly every member ends here, without a call: an event has a hundred of them.
      const isCleanItem =
        typeof item === 'string'
          ? item.length < MIN_TEXT_LENGTH || cleanTexts.newer.has(item)
          : item === null || typeof item !== 'object';
      if (isCleanItem && isSecretName === undefined && cleanNames.has(name)) {
        if (copy !== undefined) setMember(copy, name, item);
        continue;
      }
      const cleanName = cleanNames.has(name) ? undefined : this.rules.redactName(name);
      const shownName = cleanName?.text ?? name;
      this.steps.push(shownName);
      for (const hit of cleanName?.hits ?? []) this.hit({ class: 'secret_pattern', ...hit });
      const clean = isSecretName === undefined ? this.value(item) : this.member(name, item);
      this.steps.pop();
      if (clean !== item || shownName !== name) copy ??= firstMembers(source, names, index);
      if (copy !== undefined) setMember(copy, shownName, clean);
    }
    return copy ?? source;
  }

  private member(name: string, item: JsonValue): JsonValue {
    if (item === null || item === PLACEHOLDER || this.rules.isSecretName?.(name) !== true)
      return this.value(item);
    this.hit({ class: 'sensitive_field', name: 'secret_name', replacement: PLACEHOLDER });
    return PLACEHOLDER;
  }

  private hit(hit: Omit<RedactionHit, 'path'>): void {
    this.hits.push({ path: pathOf(this.steps), ...hit });
  }
}

function firstMembers(source: JsonObject, names: readonly string[], count: number): JsonObject {
  const copy: JsonObject = {};
  for (const name of names.slice(0, count)) setMember(copy, name, source[name] ?? null);
  return copy;
}

/** Two names that become the same marker stay two members: the later ones are numbered. */
function setMember(target: JsonObject, name: string, value: JsonValue): void {
  let free = name;
  for (let count = 2; Object.hasOwn(target, free); count += 1) free = `${name}#${count}`;
  Object.defineProperty(target, free, { value, enumerable: true, configurable: true, writable: true });
}

/** `payload.parts[0].text`; unusual names are quoted. */
function pathOf(steps: readonly (string | number)[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (PLAIN_NAME.test(step)) path += path === '' ? step : `.${step}`;
    else path += `[${JSON.stringify(step)}]`;
  }
  return path;
}

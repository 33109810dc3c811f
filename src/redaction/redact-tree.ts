import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Redaction, RedactionHit, TextRedaction } from './marker.ts';
import { PLACEHOLDER } from './marker.ts';
import { hideSplitSecrets } from './split-secrets.ts';

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

export interface TreeRules {
  /** Strings that `redactText` would return as they are; asked first, because most are. */
  isClean: (text: string) => boolean;
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
  readonly hits: RedactionHit[] = [];
  private readonly rules: TreeRules;
  private readonly steps: (string | number)[] = [];

  constructor(rules: TreeRules) {
    this.rules = rules;
  }

  value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (value === null || typeof value !== 'object') return value;
    return Array.isArray(value) ? this.array(value) : this.object(value);
  }

  private text(text: string): string {
    if (this.rules.isClean(text)) return text;
    const clean = this.rules.redactText(text);
    for (const { name, replacement } of clean.hits) this.hit({ class: 'secret_pattern', name, replacement });
    return clean.text;
  }

  private array(given: JsonValue[]): JsonValue[] {
    const items = this.unsplit(given);
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
    if (items.length < 2) return items;
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
    let copy: JsonObject | undefined;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      const item = source[name] ?? null;
      const cleanName = this.rules.redactName(name);
      this.steps.push(cleanName.text);
      for (const hit of cleanName.hits) this.hit({ class: 'secret_pattern', ...hit });
      const clean = this.member(name, item);
      this.steps.pop();
      if (clean !== item || cleanName.text !== name) copy ??= firstMembers(source, names, index);
      if (copy !== undefined) setMember(copy, cleanName.text, clean);
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

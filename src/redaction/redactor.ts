import { finished, jsonSize, runsOf, SLICE_SIZE, type Sliced } from '#json/large-json.ts';
import { type Clean, readByRedactor } from '#protocol/clean.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { KnownSecrets } from './known-secrets.ts';
import {
  marker,
  PLACEHOLDER,
  type Redaction,
  type RedactionHit,
  type TextHit,
  type TextRedaction,
} from './marker.ts';
import { OWN_WORD } from './own-words.ts';
import { hasLongWord, PatternScanner } from './pattern-scanner.ts';
import { CONTEXTS, SHAPES, URL_PARTS } from './patterns.ts';
import { nameOfRule, RULES, RuleScanner } from './rules/rule-scanner.ts';
import { isHiddenInBundles, isSecretName } from './secret-names.ts';
import { hideSplitSecrets, sharedTexts } from './split-secrets.ts';

/** A shorter secret would hit ordinary words. */
const MIN_SECRET_LENGTH = 8;
const KNOWN_SECRET = 'known_secret';
/** Enough for every name of the protocols, little enough that a flood of names costs no memory. */
const MAX_KEPT_NAMES = 2048;
const MAX_KEPT_NAME_LENGTH = 48;
const NO_HITS: readonly TextHit[] = [];
const NONE: ReadonlySet<string> = new Set();

/** Built once: its rules and their words never change. */
const RULE_SCANNER = new RuleScanner();

/**
 * Takes secrets out of everything that enters the log, an error or a bundle: known secrets (keys, vault values) and
 * secret patterns become `<redacted:NAME:UTF8BYTES>`, userinfo and secret query parameters of URLs `[redacted]`.
 * Deterministic, linear in the size of the text, and idempotent; clean values come back as the same object.
 * A secret that its sender cut in two is seen where neighbouring text parts of one value share it, not where it comes in two
 * values, such as two chunks of a stream.
 * Source: Agents Protocol v1, "Privacy and redaction".
 */
export class Redactor {
  private readonly known = new KnownSecrets();
  private readonly logSecrets = new LogSecrets();
  private readonly cleanNames = new Map<string, TextRedaction>();
  private readonly cleanTexts = new RecentTexts();
  private ahead = new FoundAhead();
  /** In this order: a scanner never matches what it put in place itself; later ones may. */
  private readonly scanners = [
    new PatternScanner(SHAPES),
    RULE_SCANNER,
    new PatternScanner(CONTEXTS),
    new PatternScanner(URL_PARTS),
  ];

  /**
   * Hides a secret from now on, also spelled as base64, base64url, hex, URL-encoded or JSON-escaped.
   * Ignored: secrets shorter than 8 characters, and words that the markers themselves are made of.
   */
  addKnownSecret(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH || MARKER_WORDS.includes(secret)) return;
    this.known.add(secret);
    this.cleanNames.clear();
    this.cleanTexts.clear();
    // What is being read now was begun without it, and goes where nobody looks.
    this.ahead = new FoundAhead();
  }

  /** For the log: strings and member names lose secrets, whole members stay, so a tool's `page_token` survives. */
  redactValue(value: JsonValue): Redaction {
    return redactTree(value, this.valueRules);
  }

  /** The same for the log: everything that comes from outside passes here before it is recorded. `hit`: something was found. */
  clean<T>(value: T): { value: Clean<T>; hit: boolean } {
    // Everything that comes here is JSON; interfaces only lack the index signature that would say so.
    const { values } = this.ahead;
    const read = redactTree(value as JsonValue, this.valueRules, values.size === 0 ? undefined : values);
    return { value: readByRedactor(read.value as T), hit: read.hits.length > 0 };
  }

  /**
   * Does in slices what `clean` will be asked of a large value: it finds the large texts, arrays and objects in it done, until the
   * function that this returns is called, or a secret becomes known.
   */
  *readAhead(value: JsonValue): Sliced<() => void> {
    const { ahead } = this;
    const read: (string | object)[] = [];
    yield* new TreeWalk(this.valueRules, ahead.values).ahead(value, {
      read: (text) => this.read(text),
      keepText: (text, found) => {
        ahead.texts.set(text, found);
        read.push(text);
      },
      keep: (given, found) => {
        ahead.values.set(given, found);
        read.push(given);
      },
    });
    return () => ahead.forget(read);
  }

  /** For content that is otherwise kept as it came: known secrets alone, and bytes (`base64`) stay what they are. */
  hideKnownSecrets<T>(value: T): T {
    // Everything that comes here is JSON, and stays of its shape.
    return inTexts(value as JsonValue, (text) => this.hideKnown(text).text) as T;
  }

  /** One string, without the list of what was found. */
  redactText(text: string): string {
    return this.findInText(text).text;
  }

  /** Hides secrets in what is logged alone: they mean something in one place only. */
  addLogSecrets(secrets: readonly string[]): void {
    this.logSecrets.add(secrets);
  }

  /** Shows them again when they were let go as often as they were added. */
  dropLogSecrets(secrets: readonly string[]): void {
    this.logSecrets.drop(secrets);
  }

  /** For headers, errors, log records and bundles: also the whole value of every member with a secret name. */
  redactForLog(value: unknown): Redaction {
    const shown = loggable(value);
    const reader = this.logSecrets.redactor;
    return redactTree(reader === undefined ? shown : reader.redactValue(shown).value, this.logRules);
  }

  /**
   * For a piece of a bundle: as for logs, and by the names that only bundles hide; every depth is kept. A base64 text that
   * holds a secret goes whole.
   */
  redactForBundle(value: JsonValue): Redaction {
    return redactTree(value, this.bundleRules);
  }

  /** One string with its hits. */
  readonly findInText = (text: string): TextRedaction => {
    if (text.length < MIN_TEXT_LENGTH || this.cleanTexts.has(text)) return { text, hits: NO_HITS };
    if (OWN_WORD.test(text) && this.known.find(text).length === 0) {
      this.cleanTexts.add(text);
      return { text, hits: NO_HITS };
    }
    const ahead = text.length > SLICE_SIZE ? this.ahead.texts.get(text) : undefined;
    if (ahead !== undefined) return ahead;
    const clean: string[] = [];
    const found = finished(this.scanned(this.hideKnown(text), clean));
    if (found.hits.length > 0) return finished(this.settled(found, clean));
    this.cleanTexts.add(text);
    return found;
  };

  /** The same for a large text, of which nothing is known. */
  private *read(text: string): Sliced<TextRedaction> {
    const clean: string[] = [];
    const found = yield* this.scanned(this.hideKnown(text), clean);
    return found.hits.length === 0 ? found : yield* this.settled(found, clean);
  }

  /** In `clean` is for each scanner the last text in which it finds nothing. */
  private *scanned(known: TextRedaction, clean: (string | undefined)[]): Sliced<TextRedaction> {
    let found = known;
    let isPlain = !hasLongWord(found.text);
    for (const [index, scanner] of this.scanners.entries()) {
      if (clean[index] === found.text) continue;
      const { text } = found;
      const next =
        text.length > SLICE_SIZE ? yield* inSlices(scanner, text, isPlain) : scanner.scan(text, isPlain);
      if (next.hits.length > 0) isPlain = !hasLongWord(next.text);
      if (next.hits.length === 0 || scanner.findsAllAtOnce) clean[index] = next.text;
      if (next.hits.length > 0)
        found = found.hits.length === 0 ? next : { text: next.text, hits: found.hits.concat(next.hits) };
    }
    return found;
  }

  /** Hiding a part of a URL may make the text around it look like a secret, so this repeats until nothing is found. */
  private *settled(found: TextRedaction, clean: (string | undefined)[]): Sliced<TextRedaction> {
    let last = found;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const more = yield* this.scanned({ text: last.text, hits: NO_HITS }, clean);
      if (more.hits.length === 0) break;
      const standing = last.hits.filter(({ replacement }) => more.text.includes(replacement));
      last = { text: more.text, hits: [...standing, ...more.hits] };
    }
    return last;
  }

  private readonly findInBundleText = (text: string): TextRedaction => {
    const found = this.findInText(text);
    const inner = found.hits.length === 0 && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
    const [hit] = inner === undefined ? NO_HITS : this.findInText(inner.toString('latin1')).hits;
    if (hit === undefined) return found;
    const replacement = marker(hit.name, text);
    return { text: replacement, hits: [{ name: hit.name, replacement }] };
  };

  /** Member names repeat from message to message, so clean ones are remembered. */
  private readonly findInName = (name: string): TextRedaction => {
    const known = this.cleanNames.get(name);
    if (known !== undefined) return known;
    const found = this.findInText(name);
    const isWorthKeeping = found.hits.length === 0 && name.length <= MAX_KEPT_NAME_LENGTH;
    if (isWorthKeeping && this.cleanNames.size < MAX_KEPT_NAMES) this.cleanNames.set(name, found);
    return found;
  };

  private readonly valueRules: TreeRules = {
    cleanNames: this.cleanNames,
    cleanTexts: this.cleanTexts,
    redactText: this.findInText,
    redactName: this.findInName,
  };
  private readonly logRules: TreeRules = { ...this.valueRules, isSecretName };
  private readonly bundleRules: TreeRules = {
    ...this.valueRules,
    // What is clean in the log may be base64 of a secret.
    cleanTexts: { newer: NONE },
    redactText: this.findInBundleText,
    isSecretName: isHiddenInBundles,
  };

  private hideKnown(text: string): TextRedaction {
    const found = this.known.find(text);
    if (found.length === 0) return { text, hits: NO_HITS };
    const hits: TextHit[] = [];
    let clean = '';
    let done = 0;
    for (const { start, end } of found) {
      const replacement = marker(KNOWN_SECRET, text.slice(start, end));
      hits.push({ name: KNOWN_SECRET, replacement });
      clean += text.slice(done, start) + replacement;
      done = end;
    }
    return { text: clean + text.slice(done), hits };
  }
}

/** The expressions of a pattern scanner read a text in one go. */
function* inSlices(
  scanner: PatternScanner | RuleScanner,
  text: string,
  isPlain: boolean,
): Sliced<TextRedaction> {
  yield;
  return scanner instanceof RuleScanner
    ? yield* scanner.scanInSlices(text, isPlain)
    : scanner.scan(text, isPlain);
}

function inTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => inTexts(item, change));
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, item]) => [name, name === 'base64' ? item : inTexts(item, change)]),
  );
}

/** A replacement may make a new match, so this repeats until nothing is found. More than one round was never seen. */
const MAX_ROUNDS = 4;
const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;

/** Hiding one of these would change markers and so break idempotence. */
const MARKER_WORDS = [
  KNOWN_SECRET,
  ...[...SHAPES, ...CONTEXTS, ...URL_PARTS].map(({ name }) => name),
  ...RULES.map(({ id }) => nameOfRule(id)),
]
  .map((name) => `[redacted] <redacted:${name}:`)
  .join(' ');

/** Texts kept per generation: a second or two of a busy gateway. */
const MAX_TEXTS = 4_096;
/** Longer texts are seldom seen twice, and would make the memory grow. */
const MAX_TEXT_LENGTH = 1_024;

/**
 * Remembers texts for a while, in bounded memory: when the newer half is full, the older one is forgotten. An id, or what a
 * message says, passes redaction several times on its way into the log.
 */
export class RecentTexts {
  /** Some of them; asked first where calls count. */
  newer = new Set<string>();
  private older = new Set<string>();

  has(text: string): boolean {
    if (text.length > MAX_TEXT_LENGTH) return false;
    if (this.newer.has(text)) return true;
    if (!this.older.has(text)) return false;
    this.add(text);
    return true;
  }

  add(text: string): void {
    if (text.length > MAX_TEXT_LENGTH) return;
    if (this.newer.size === MAX_TEXTS) {
      this.older = this.newer;
      this.newer = new Set();
    }
    this.newer.add(text);
  }

  clear(): void {
    this.newer.clear();
    this.older.clear();
  }
}

const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$-]*$/;

/** No pattern matches a shorter text, so short names and words are skipped. */
const MIN_TEXT_LENGTH = 8;

interface TreeRules {
  /** Names in which nothing was found; asked first, because most are. */
  cleanNames: Pick<ReadonlyMap<string, unknown>, 'has'>;
  /** Texts that `redactText` would return as they are, asked like the names. */
  cleanTexts: { readonly newer: Pick<ReadonlySet<string>, 'has'> };
  redactText: (text: string) => TextRedaction;
  redactName: (name: string) => TextRedaction;
  /** Members whose whole value becomes the placeholder; null and the placeholder itself stay. */
  isSecretName?: (name: string) => boolean;
}

/** What becomes of arrays and objects that were read ahead; of the hits of each, the first stands for all. */
type ReadBefore = ReadonlyMap<object, Redaction>;

/** What was found in large texts and values before anybody asked. */
class FoundAhead {
  readonly texts = new Map<string, TextRedaction>();
  readonly values = new Map<object, Redaction>();

  forget(read: readonly (string | object)[]): void {
    for (const given of read)
      if (typeof given === 'string') this.texts.delete(given);
      else this.values.delete(given);
  }
}

/** How a walk reads ahead. */
interface Ahead {
  read(text: string): Sliced<TextRedaction>;
  keepText(text: string, found: TextRedaction): void;
  keep(value: object, found: Redaction): void;
}

/**
 * Applies the rules to every string and member name of a value. Parts without a hit are kept as they are, not copied.
 * Recurses, so the value must be as shallow as the strict JSON reader lets through.
 */
function redactTree(value: JsonValue, rules: TreeRules, readBefore?: ReadBefore): Redaction {
  const walk = new TreeWalk(rules, readBefore);
  return { value: walk.value(value), hits: walk.hits };
}

class TreeWalk {
  readonly hits: RedactionHit[];
  private readonly rules: TreeRules;
  private readonly readBefore: ReadBefore | undefined;
  private readonly steps: (string | number)[];

  constructor(rules: TreeRules, readBefore: ReadBefore | undefined) {
    this.rules = rules;
    this.readBefore = readBefore;
    this.hits = [];
    this.steps = [];
  }

  value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (value === null || typeof value !== 'object') return value;
    const known = this.readBefore?.get(value);
    if (known !== undefined) {
      this.hits.push(...known.hits);
      return known.value;
    }
    if (!Array.isArray(value)) return this.members(value) ?? value;
    const items = value.length < 2 ? value : this.unsplit(value);
    return this.items(items) ?? items;
  }

  /** Reads what is larger than a slice in slices, and keeps what it finds; what is smaller costs whoever asks no more than that. */
  *ahead(value: JsonValue, ahead: Ahead): Sliced<void> {
    if (typeof value === 'string') yield* this.textAhead(value, ahead);
    if (value === null || typeof value !== 'object' || jsonSize(value, SLICE_SIZE) <= SLICE_SIZE) return;
    const before = this.hits.length;
    const read = Array.isArray(value)
      ? yield* this.arrayAhead(value, ahead)
      : yield* this.objectAhead(value, ahead);
    ahead.keep(value, { value: read, hits: this.hits.slice(before, before + 1) });
  }

  private *textAhead(text: string, ahead: Ahead): Sliced<void> {
    if (text.length > SLICE_SIZE) ahead.keepText(text, yield* ahead.read(text));
  }

  private *arrayAhead(given: JsonValue[], ahead: Ahead): Sliced<JsonValue[]> {
    const shared = sharedTexts(given);
    for (const text of shared) yield* this.textAhead(text, ahead);
    const items = shared.length === 0 ? given : this.unsplit(given);
    yield;
    let copy: JsonValue[] | undefined;
    for (const run of runsOf(items)) {
      if (run.isLarge) yield* this.ahead(items[run.from] ?? null, ahead);
      copy = this.items(items, run.from, run.to, copy);
      yield;
    }
    return copy ?? items;
  }

  private *objectAhead(source: JsonObject, ahead: Ahead): Sliced<JsonObject> {
    const names = Object.keys(source);
    let copy: JsonObject | undefined;
    for (const run of runsOf(Object.values(source), names)) {
      if (run.isLarge) yield* this.ahead(source[names[run.from] ?? ''] ?? null, ahead);
      copy = this.members(source, names, run.from, run.to, copy);
      yield;
    }
    return copy ?? source;
  }

  private text(text: string): string {
    if (text.length < MIN_TEXT_LENGTH || this.rules.cleanTexts.newer.has(text)) return text;
    const clean = this.rules.redactText(text);
    if (clean.hits.length === 0) return text;
    for (const { name, replacement } of clean.hits) this.hit({ class: 'secret_pattern', name, replacement });
    return clean.text;
  }

  /**
   * Items of an array, from a copy of those before them on where there is one; undefined where nothing has changed. By default
   * all of them.
   */
  private items(
    items: JsonValue[],
    from = 0,
    to = items.length,
    begun?: JsonValue[] | undefined,
  ): JsonValue[] | undefined {
    let copy = begun;
    for (let index = from; index < to; index += 1) {
      const item = items[index] ?? null;
      this.steps.push(index);
      const clean = this.value(item);
      this.steps.pop();
      if (clean !== item) copy ??= items.slice(0, index);
      copy?.push(clean);
    }
    return copy;
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

  /** Members of an object, as `items`. */
  private members(
    source: JsonObject,
    names: readonly string[] = Object.keys(source),
    from = 0,
    to = names.length,
    begun?: JsonObject | undefined,
  ): JsonObject | undefined {
    const { cleanNames, cleanTexts, isSecretName } = this.rules;
    let copy = begun;
    for (let index = from; index < to; index += 1) {
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
    return copy;
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

/** Deeper parts of a log record help nobody; the limit also ends cycles. */
const MAX_LOG_DEPTH = 12;
const TOO_DEEP = '[too deep]';

/**
 * Any value as JSON, for log records and error details: errors with name, message, code, stack and cause; bytes as
 * their length; functions, symbols and undefined left out. Never throws on a cycle.
 */
function loggable(value: unknown, depth = 0): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return value === undefined ? null : String(value);
  if (depth >= MAX_LOG_DEPTH) return TOO_DEEP;
  if (value instanceof Error) return members(errorMembers(value), depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof Map)
    return members(
      [...value].map(([name, item]) => [String(name), item]),
      depth,
    );
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value) || value instanceof Set)
    return Array.from(value, (item) => loggable(item, depth + 1));
  return members(Object.entries(value), depth);
}

function errorMembers(error: Error): [string, unknown][] {
  const { name, message, stack, cause } = error;
  return [...Object.entries({ name, message, stack, cause }), ...Object.entries(error)];
}

function members(entries: [string, unknown][], depth: number): JsonObject {
  const kept = entries.filter(
    ([, item]) => item !== undefined && typeof item !== 'function' && typeof item !== 'symbol',
  );
  return Object.fromEntries(kept.map(([name, item]) => [name, loggable(item, depth + 1)]));
}

/** Secrets that come and go, and what hides those that are here. */
class LogSecrets {
  /** How often each is here. */
  readonly #counts = new Map<string, number>();
  #redactor: Redactor | undefined;
  /** Secrets that the redactor still hides although they are gone. */
  #gone = 0;

  add(secrets: readonly string[]): void {
    for (const secret of secrets) {
      this.#counts.set(secret, (this.#counts.get(secret) ?? 0) + 1);
      this.#redactor?.addKnownSecret(secret);
    }
  }

  /** Nothing can be taken out of a redactor: it is made anew when half of it is gone. */
  drop(secrets: readonly string[]): void {
    for (const secret of secrets) {
      const count = this.#counts.get(secret) ?? 0;
      if (count > 1) this.#counts.set(secret, count - 1);
      else if (this.#counts.delete(secret)) this.#gone += 1;
    }
    if (this.#gone < this.#counts.size) return;
    this.#redactor = undefined;
    this.#gone = 0;
  }

  /** Undefined when there are none. */
  get redactor(): Redactor | undefined {
    if (this.#counts.size === 0) return undefined;
    if (this.#redactor === undefined) {
      this.#redactor = new Redactor();
      for (const secret of this.#counts.keys()) this.#redactor.addKnownSecret(secret);
    }
    return this.#redactor;
  }
}

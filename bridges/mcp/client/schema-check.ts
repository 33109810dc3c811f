import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';

/** A pattern as ajv calls it. */
interface Pattern {
  test(text: string): boolean;
  /** Distinguishes patterns: ajv compiles two of the same text once. */
  toString(): string;
}

/** A pattern of more code points is no schema but an attack. */
const MAX_PATTERN_LENGTH = 2_000;

/** JSON values of a schema that is checked at all, and instructions of all patterns of a schema; what is more is left to the server. */
export const MAX_SCHEMA_VALUES = 1_000;
export const MAX_PATTERN_PROGRAM = 3_000;

/**
 * Steps of one check: members, list items and alternatives that are looked at, and what patterns do. A check that needs more ends
 * without a fault, because a server checks its input itself; nobody else waits for it meanwhile.
 */
export const MAX_CHECK_STEPS = 100_000;

/** Instructions of a pattern that cost about as much on one character as a step. */
const INSTRUCTIONS_OF_STEP = 16;

/** A member that only a backtracking engine could judge is left to the server, which checks its input itself. */
const LEFT_TO_SERVER: Pattern = { test: () => true, toString: () => 'left to the server' };

class TooMuchWork extends Error {}

/** Counts what compiling and checking one schema costs. */
class Work {
  #program = 0;
  #steps = 0;

  begin(): void {
    this.#steps = 0;
  }

  /** Throws TooMuchWork beyond the bound. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_CHECK_STEPS) throw new TooMuchWork();
  }

  /** False where the patterns of the schema are too long together. */
  takesProgram(size: number): boolean {
    this.#program += size;
    return this.#program <= MAX_PATTERN_PROGRAM;
  }

  get hasRoomForPatterns(): boolean {
    return this.#program <= MAX_PATTERN_PROGRAM;
  }
}

/**
 * The engine for `pattern` and `patternProperties` of schemas that come from servers, run on text that comes from callers:
 * linear in both, so neither can make the gateway think for long. Look-around and back references are not linear; they, and
 * what is no pattern at all, hold for everything.
 */
function linearPatterns(work: Work) {
  const engine = (pattern: string): Pattern => {
    if (pattern.length > MAX_PATTERN_LENGTH || !work.hasRoomForPatterns) return LEFT_TO_SERVER;
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
      const size = compiled.programSize();
      if (!work.takesProgram(size)) return LEFT_TO_SERVER;
      const test = (text: string) => {
        work.spend(Math.ceil((text.length * size) / INSTRUCTIONS_OF_STEP));
        return compiled.test(text);
      };
      return { test, toString: () => `linear ${pattern}` };
    } catch {
      return LEFT_TO_SERVER;
    }
  };
  // Named in generated code only, which the gateway never writes out.
  return Object.assign(engine, { code: 'linearPatterns' });
}

/** A member that does not fit, by its JSON path (`path[0].name`, empty for the whole), and why. */
interface SchemaFault {
  path: string;
  message: string;
}

type Check = (value: JsonValue) => SchemaFault | undefined;

/** Compiles the JSON Schemas of one server; schemas of others never meet here, whatever ids they claim. */
export class SchemaChecks {
  readonly #known = new WeakMap<JsonObject, Check | null>();

  /** The check of a schema; null for one that cannot be compiled, for example because it refers elsewhere. */
  of(schema: JsonObject): Check | null {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const made = compile(schema);
    this.#known.set(schema, made);
    return made;
  }
}

const OPTIONS = { strict: false, allErrors: false, validateFormats: false, logger: false } as const;

/** Keyword of our own that every subschema gets: its value is what looking at a value with it costs, in steps. */
const COST = 'x-harn-gateway-cost';

/** Spec: MCP 2025-11-25, JSON Schema 2020-12 unless the schema names another dialect. */
function compile(schema: JsonObject): Check | null {
  const { $id: _id, $schema: dialect, ...plain } = schema;
  const isOlder = typeof dialect === 'string' && /draft-0[67]/.test(dialect);
  const work = new Work();
  const options = { ...OPTIONS, code: { regExp: linearPatterns(work) } };
  try {
    const counted = new CountedSchema().of(plain);
    const ajv = isOlder ? new Ajv(options) : new Ajv2020(options);
    ajv.addKeyword({
      keyword: COST,
      before: '$ref',
      errors: false,
      validate: (cost: number) => {
        work.spend(cost);
        return true;
      },
    });
    // That of the library compares every item with every other one.
    ajv.removeKeyword('uniqueItems');
    ajv.addKeyword({
      keyword: 'uniqueItems',
      type: 'array',
      schemaType: 'boolean',
      validate: (isWanted: boolean, items: JsonValue[]) => !isWanted || areUnique(items),
    });
    return checkOf(ajv.compile(counted), work);
  } catch {
    return null;
  }
}

function areUnique(items: readonly JsonValue[]): boolean {
  return new Set(items.map(spelled)).size === items.length;
}

/** The same text for the same value, whatever the order of its members. */
function spelled(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(spelled).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${spelled(value[name] ?? null)}`).join()}}`;
}

/** Keywords whose members are named by the schema, and whose values are schemas or data themselves. */
const MAPS = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  '$defs',
  'definitions',
]);
const DATA = new Set(['const', 'enum']);
/** Say nothing about a value; without them nothing can refer into them. */
const ANNOTATIONS = new Set(['default', 'examples', 'example']);

/** Copies a schema with what each of its subschemas costs. Throws TooMuchWork for one that is too large to be compiled. */
class CountedSchema {
  #values = 0;

  of(schema: JsonObject, isCounted = true): JsonObject {
    const copy: JsonObject = isCounted ? { [COST]: 1 + costOf(schema) } : {};
    for (const [word, value] of Object.entries(schema)) {
      if (word === COST || ANNOTATIONS.has(word)) continue;
      if (DATA.has(word)) copy[word] = this.#data(value);
      else copy[word] = MAPS.has(word) && isObject(value) ? this.#map(word, value) : this.#value(word, value);
    }
    return copy;
  }

  #value(word: string, value: JsonValue): JsonValue {
    this.#count();
    // What is data here would be a schema there, without its cost.
    if (word.endsWith('ef') && typeof value === 'string' && /[/](const|enum)([/]|$)/.test(value))
      throw new TooMuchWork();
    if (Array.isArray(value)) return value.map((item) => this.#value('', item));
    return isObject(value) ? this.of(value) : value;
  }

  #map(word: string, map: JsonObject): JsonObject {
    const of = (value: JsonValue) => {
      // The schema whose member it is counts it.
      const isPlain = word === 'properties' && isObject(value) && Object.values(value).every(isScalar);
      if (!isPlain || '$ref' in value || '$dynamicRef' in value) return this.#value('', value);
      this.#count();
      return this.of(value, false);
    };
    return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, of(value)]));
  }

  /** One of many values is compared once a check, which `costOf` counts; compiling them costs little. */
  #data(value: JsonValue): JsonValue {
    this.#count();
    return value;
  }

  #count(): void {
    this.#values += 1;
    if (this.#values > MAX_SCHEMA_VALUES) throw new TooMuchWork();
  }
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

/** What is gone through for each value that is looked at. */
function costOf(schema: JsonObject): number {
  const { enum: values, required, properties } = schema;
  const sizes = [values, required].map((list) => (Array.isArray(list) ? list.length : 0));
  return sizes.reduce((sum, size) => sum + size, isObject(properties) ? Object.keys(properties).length : 0);
}

function checkOf(validate: ValidateFunction, work: Work): Check {
  return (value) => {
    work.begin();
    try {
      if (validate(value)) return undefined;
    } catch (error) {
      // A schema that refers to itself without end overflows the stack.
      if (error instanceof TooMuchWork || error instanceof RangeError) return undefined;
      throw error;
    }
    const [error] = validate.errors ?? [];
    return error === undefined ? { path: '', message: 'does not fit the schema' } : faultOf(error);
  };
}

/** Keywords whose error points at the object although a member of it is meant. */
const MEMBER_OF: Partial<Record<string, string>> = {
  required: 'missingProperty',
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
};

const WORDS: Partial<Record<string, string>> = {
  required: 'is required',
  additionalProperties: 'is not a member of the schema',
  unevaluatedProperties: 'is not a member of the schema',
};

function faultOf({ instancePath, keyword, params, message }: ErrorObject): SchemaFault {
  const member = MEMBER_OF[keyword];
  const name = member === undefined ? undefined : String((params as Record<string, unknown>)[member]);
  const steps = instancePath.split('/').slice(1).map(plainStep);
  const path = pathOf(name === undefined ? steps : [...steps, name]);
  return { path, message: WORDS[keyword] ?? message ?? 'does not fit the schema' };
}

function plainStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function pathOf(steps: readonly string[]): string {
  return steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}

import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { SeededRandom } from './seeded-random.ts';

const COMPONENT = '#/components/schemas/';
const MAX_DEPTH = 6;
/** How often a member that may be left out is there. */
const OPTIONAL = 0.15;
const WORDS = [
  '',
  'a',
  'hi',
  'workspace_default',
  'text',
  '2026-11-21T00:00:00.000Z',
  'ünïcödé 🚀',
  'a/b?c#d',
];

/** Makes values that a JSON Schema of the operations table mostly allows. */
export class SchemaValues {
  readonly #schemas: JsonObject;
  readonly #random: SeededRandom;
  /** Proposes an existing id for a member whose name ends in `_id`. */
  readonly #idFor: (name: string) => string;

  constructor(schemas: JsonObject, random: SeededRandom, idFor: (name: string) => string) {
    this.#schemas = schemas;
    this.#random = random;
    this.#idFor = idFor;
  }

  make(schema: JsonValue | undefined, name = '', depth = 0): JsonValue {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return this.#any(depth);
    if (typeof schema['$ref'] === 'string')
      return this.make(this.#schemas[schema['$ref'].slice(COMPONENT.length)], name, depth + 1);
    if (schema['const'] !== undefined) return schema['const'];
    for (const choice of ['enum', 'anyOf', 'oneOf'] as const) {
      const of = schema[choice];
      if (Array.isArray(of) && choice === 'enum') return this.#random.pick(of);
      if (Array.isArray(of)) return this.make(this.#random.pick(of), name, depth + 1);
    }
    return this.#ofType(schema, name, depth);
  }

  #ofType(schema: JsonObject, name: string, depth: number): JsonValue {
    const random = this.#random;
    const { type } = schema;
    switch (Array.isArray(type) ? random.pick(type) : type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return Array.from({ length: random.between(1, 2) }, () =>
          this.make(schema['items'], name, depth + 1),
        );
      case 'string':
        return name.endsWith('_id') && random.chance(0.8) ? this.#idFor(name) : random.pick(WORDS);
      case 'integer':
      case 'number':
        return random.between(0, 300);
      case 'boolean':
        return random.chance(0.5);
      case 'null':
        return null;
      default:
        return this.#any(depth);
    }
  }

  #object({ properties, required }: JsonObject, depth: number): JsonObject {
    const needed = new Set(Array.isArray(required) ? required : []);
    const members = Object.entries((properties ?? {}) as JsonObject);
    const optional = depth > MAX_DEPTH ? 0 : OPTIONAL;
    return Object.fromEntries(
      members
        .filter(([name]) => needed.has(name) || this.#random.chance(optional))
        .map(([name, schema]) => [name, this.make(schema, name, depth + 1)]),
    );
  }

  #any(depth: number): JsonValue {
    const random = this.#random;
    if (depth > MAX_DEPTH || random.chance(0.6)) return random.pick([...WORDS, 0, 1.5, true, null]);
    if (random.chance(0.5)) return [this.#any(depth + 1)];
    return { [random.pick(WORDS)]: this.#any(depth + 1) };
  }
}

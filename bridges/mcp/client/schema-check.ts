import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** A pattern as ajv calls it. */
interface Pattern {
  test(text: string): boolean;
  /** Distinguishes patterns: ajv compiles two of the same text once. */
  toString(): string;
}

/** A pattern of more code points is no schema but an attack. */
const MAX_PATTERN_LENGTH = 2_000;

/** A member that only a backtracking engine could judge is left to the server, which checks its input itself. */
const LEFT_TO_SERVER: Pattern = { test: () => true, toString: () => 'left to the server' };

/**
 * The engine for `pattern` and `patternProperties` of schemas that come from servers, run on text that comes from callers:
 * linear in both, so neither can make the gateway think for long. Look-around and back references are not linear; they, and
 * what is no pattern at all, hold for everything.
 */
const linearPatterns = Object.assign(
  (pattern: string): Pattern => {
    if (pattern.length > MAX_PATTERN_LENGTH) return LEFT_TO_SERVER;
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
      return { test: (text) => compiled.test(text), toString: () => `linear ${pattern}` };
    } catch {
      return LEFT_TO_SERVER;
    }
  },
  // Named in generated code only, which the gateway never writes out.
  { code: 'linearPatterns' },
);

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

const OPTIONS = {
  strict: false,
  allErrors: false,
  validateFormats: false,
  logger: false,
  code: { regExp: linearPatterns },
} as const;

/** Spec: MCP 2025-11-25, JSON Schema 2020-12 unless the schema names another dialect. */
function compile(schema: JsonObject): Check | null {
  const { $id: _id, $schema: dialect, ...plain } = schema;
  const isOlder = typeof dialect === 'string' && /draft-0[67]/.test(dialect);
  try {
    const ajv = isOlder ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
    return checkOf(ajv.compile(plain));
  } catch {
    return null;
  }
}

function checkOf(validate: ValidateFunction): Check {
  return (value) => {
    if (validate(value)) return undefined;
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

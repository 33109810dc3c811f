import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { linearPatterns } from './linear-patterns.ts';

/** A member that does not fit, by its JSON path (`path[0].name`, empty for the whole), and why. */
export interface SchemaFault {
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

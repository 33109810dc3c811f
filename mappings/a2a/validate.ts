import type { z } from 'zod';
import type { ProtocolError } from '../../src/protocol/errors.ts';
import type { A2aErrorName } from './errors.ts';
import { refusal } from './errors-out.ts';

/** Reads a request by its schema; throws InvalidParams with the path of the first fault. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw faultOf(parsed.error, 'InvalidParams');
}

export function faultOf(error: z.ZodError, name: A2aErrorName): ProtocolError {
  const [issue] = error.issues;
  const path = (issue?.path ?? []).map(String).join('.');
  const said = issue?.message ?? 'is invalid';
  // Words of the schema's own are sentences about the field; the library's begin with a capital.
  const words = /^[A-Z]/.test(said) ? wordsOf(said) : said;
  return refusal(
    name,
    path === '' ? `The request ${words}.` : `${path}: ${words}.`,
    path === '' ? 'params' : path,
  );
}

function wordsOf(said: string): string {
  if (said.endsWith('received undefined')) return 'is required';
  const [, comparison = '', bound = '', unit] = /to (?:be|have) ([<>]=?)(-?\d+)(?: (\w+))?/.exec(said) ?? [];
  if (bound !== '') {
    const most = comparison.startsWith('<') ? 'at most' : 'at least';
    return unit === undefined ? `must be ${most} ${bound}` : `must have ${most} ${bound} ${unit}`;
  }
  const expected = /expected (\w+)/.exec(said)?.[1];
  return expected === undefined ? 'is invalid' : `must be of type ${expected}`;
}

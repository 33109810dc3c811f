import type { z } from 'zod';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { A2aErrorName } from './errors.ts';
import { faultsOf, refusal } from './errors-out.ts';

/** Faults that a refusal lists, so that a large request makes no large answer. */
const MAX_LISTED = 20;
/** Faults that its message spells out. */
const MAX_SAID = 5;

/** Reads a request by its schema; throws InvalidParams with the path of every fault, up to twenty of them. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw faultOf(parsed.error, 'InvalidParams');
}

export function faultOf({ issues }: z.ZodError, name: A2aErrorName): ProtocolError {
  const faults = issues.slice(0, MAX_LISTED).map(({ path, message }) => ({
    param: path.map(String).join('.'),
    // Words of the schema's own are sentences about the field; the library's begin with a capital.
    message: /^[A-Z]/.test(message) ? wordsOf(message) : message,
  }));
  const said = faults
    .slice(0, MAX_SAID)
    .map(({ param, message }) => (param === '' ? `The request ${message}` : `${param}: ${message}`));
  const unsaid = issues.length - said.length;
  const message = `${said.join('; ')}${unsaid === 0 ? '' : `; and ${unsaid} more`}.`;
  return refusal(name, message, faults[0]?.param || 'params', faults);
}

/** What was refused of a member of a request, named by its path from the request on. */
export function placedBelow(member: string, error: unknown): unknown {
  if (!(error instanceof ProtocolError) || error.code !== 'invalid_request' || member === '') return error;
  const { code, message, details, cause } = error;
  const faults = faultsOf(error).map((fault) => ({ ...fault, param: `${member}.${fault.param}` }));
  const [first] = faults;
  if (first === undefined) return error;
  const several = faults.length > 1 ? { faults: faults as unknown as JsonObject[] } : {};
  return new ProtocolError(code, message, { param: first.param, details: { ...details, ...several }, cause });
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

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '#protocol/json.ts';
import { sessionBundle } from '#resources/bundle/session-bundle-schema.ts';
import { bundleOf, compared, hasReference, REFERENCE, readJson } from './bundles.ts';

const reference = (name: string): JsonObject => readJson(new URL(name, REFERENCE));

describe.skipIf(!hasReference)('the bundles of the specification (skipped where ../shared is absent)', () => {
  it.each([
    ['local', 'sample-local.bundle.json'],
    ['sanitized', 'sample-sanitized.bundle.json'],
    ['replay_only', 'sample-replay-only.bundle.json'],
  ] as const)('ours of the same run is equal in mode %s', async (mode, name) => {
    const { replay } = reference('sample-local.bundle.json');
    const record = (replay as JsonObject)['run_record'] as JsonObject;
    expect(compared(await bundleOf(record, mode))).toEqual(compared(reference(name)));
  });

  it('our schema asks for the same members, of the same types', () => {
    const ours = z.toJSONSchema(sessionBundle, { unrepresentable: 'any' }) as unknown as Schema;
    const theirs = reference('session-bundle.v1.schema.json') as unknown as Schema;
    expect(requirementsOf(ours, ours, '$')).toEqual(requirementsOf(theirs, theirs, '$'));
  });
});

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema | boolean;
}

/** `path: required members`, for every object that a schema describes; free-form ones have no line. */
function requirementsOf(root: Schema, given: Schema, path: string): string[] {
  const name = given.$ref?.split('/').at(-1);
  const schema = name === undefined ? given : (root.$defs?.[name] ?? {});
  const { required = [], properties = {}, items } = schema;
  const own = required.length === 0 ? [] : [`${path}: ${[...required].sort().join(', ')}`];
  const below = Object.entries(properties).flatMap(([member, value]) =>
    requirementsOf(root, value, `${path}.${member}`),
  );
  const each = typeof items === 'object' ? requirementsOf(root, items, `${path}[]`) : [];
  return [...own, ...below, ...each].sort();
}

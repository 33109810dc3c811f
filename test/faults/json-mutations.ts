import type { JsonValue } from '#protocol/json.ts';
import type { SeededRandom } from './seeded-random.ts';

/** JSON texts that stand in for a value somewhere; some of them are no JSON. */
const ODD_VALUES = [
  'null',
  'true',
  '-1',
  '0',
  '-0',
  '1e400',
  '9007199254740993',
  '0.1e-7',
  '1'.repeat(400),
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\u2028\\r\\n\\nevent: forged\\ndata: {}"',
  '"../../etc/passwd"',
  `"${'x'.repeat(70_000)}"`,
  '"task_01ARZ3NDEKTSV4RRFFQ69G5FAV"',
  '[]',
  '{}',
  '[[]]',
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"then":2,"toJSON":3,"hasOwnProperty":4}',
  `${'['.repeat(70)}${']'.repeat(70)}`,
  `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
  '['.repeat(5_000),
  'NaN',
  'undefined',
  '01',
  '+1',
  '.5',
  "'x'",
  '{a:1}',
  '[1,]',
  '/* */ 1',
  '\ufeff{}',
  '\u00ff\u00fe',
] as const;

const HOLE = '\u0001hole\u0001';

/** The JSON text of a value in which one to three places were replaced, removed or added. */
export function mutatedJson(value: JsonValue, random: SeededRandom): string {
  const holes = random.between(1, 3);
  let mutated = structuredClone(value);
  for (let n = 0; n < holes; n += 1) mutated = mutateOnce(mutated, random);
  let left = holes;
  // A value may have taken in a hole of an earlier request, as often as it likes.
  return JSON.stringify(mutated).replaceAll(JSON.stringify(HOLE), () => {
    left -= 1;
    return left < 0 ? 'null' : random.pick(ODD_VALUES);
  });
}

function mutateOnce(value: JsonValue, random: SeededRandom): JsonValue {
  if (typeof value !== 'object' || value === null) return HOLE;
  if (Array.isArray(value)) return mutateArray(value, random);
  const names = Object.keys(value);
  const name = names.length === 0 ? '' : random.pick(names);
  const choice = random.next();
  if (names.length === 0 || choice < 0.1)
    return { ...value, [random.pick(['x', 'id', 'role', 'kind'])]: HOLE };
  if (choice < 0.25) {
    const { [name]: _removed, ...rest } = value;
    return rest;
  }
  if (choice < 0.45) return { ...value, [name]: HOLE };
  if (choice < 0.5) return HOLE;
  return { ...value, [name]: mutateOnce(value[name] ?? null, random) };
}

function mutateArray(items: JsonValue[], random: SeededRandom): JsonValue {
  const at = random.between(0, Math.max(0, items.length - 1));
  const choice = random.next();
  if (items.length === 0 || choice < 0.2) return [...items, HOLE];
  if (choice < 0.3) return [];
  if (choice < 0.35) return Array.from({ length: 1_200 }, () => items[at] ?? null);
  return items.map((item, index) => (index === at ? mutateOnce(item, random) : item));
}

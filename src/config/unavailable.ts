import type { PathFault } from './fault.ts';

/**
 * Options that the contract names and this version cannot honour yet. They are refused by name, because an option that
 * is accepted and does nothing misleads its operator. An empty list or map asks for nothing and passes.
 */
export const UNAVAILABLE = {
  vaults: 'vaults',
} as const;

type RawMap = Record<string, unknown>;

/** The file's content without the unavailable options, and one fault for each that asks for something. */
export function withoutUnavailable(raw: RawMap): { raw: RawMap; faults: PathFault[] } {
  const kept = structuredClone(raw);
  const faults: PathFault[] = [];
  for (const [name, what] of Object.entries(UNAVAILABLE)) {
    const path = name.split('.');
    const value = take(kept, path);
    if (!isEmpty(value))
      faults.push({ path, message: `${what}: not available in this version; remove the option` });
  }
  return { raw: kept, faults };
}

function take(raw: RawMap, path: readonly string[]): unknown {
  const [key = '', ...rest] = path;
  const value = Object.hasOwn(raw, key) ? raw[key] : undefined;
  if (rest.length > 0) {
    const taken = isMap(value) ? take(value, rest) : undefined;
    // A section may hold nothing but unavailable options; left empty, it asks for nothing.
    if (isMap(value) && isEmpty(value)) delete raw[key];
    return taken;
  }
  delete raw[key];
  return value;
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}

/** True for a plain map of options; lists and null are none. */
export function isMap(value: unknown): value is RawMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

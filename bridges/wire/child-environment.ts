import type { BridgeDeps, SecretRef } from '../bridge.ts';

/** The environment a child may see: what programs need to find themselves, and nothing that holds secrets. */
const INHERITED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TERM',
  'TMPDIR',
  'TZ',
  'SystemRoot',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'TEMP',
  'PATHEXT',
];

/**
 * What a child sees: the allowed part of the gateway's environment, and what its row gives it. Secrets are read now; throws what
 * `readSecret` throws.
 */
export function childEnvironment(
  given: Readonly<Record<string, string | SecretRef>> | undefined,
  environment: BridgeDeps['environment'],
  readSecret: BridgeDeps['readSecret'],
): Record<string, string> {
  const read = Object.entries(given ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : readSecret(value)] as const,
  );
  return { ...inheritedEnvironment(environment), ...Object.fromEntries(read) };
}

/** The allowed part of an environment. */
export function inheritedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

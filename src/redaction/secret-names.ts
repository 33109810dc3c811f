/** Member names whose whole value is secret. See README.md, Names. */
const NAMES: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'api_key',
  'apikey',
  'api-key',
  'x-api-key',
  'x-auth-token',
  'x-csrf-token',
  'x-xsrf-token',
  'access_token',
  'refresh_token',
  'id_token',
  'bearer_token',
  'client_secret',
  'secret',
  'password',
  'passwd',
  'private_key',
  'session_token',
]);

const SUFFIX = /_(?:token|secret|password|apikey|api_key)$/;

/** Whether a member or header of this name holds a secret, in any case of letters. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.has(lower) || SUFFIX.test(lower);
}

/** Members that say where something lies on the machine of the sender. Bundles hide them too. */
const LOCAL_PLACES: ReadonlySet<string> = new Set([
  'persisted_path',
  'primary',
  'run_path',
  'snapshot_path',
  'snapshot_ref',
  'source_path',
]);

/** Whether a bundle hides the whole value of a member of this name, in any case of letters. */
export function isHiddenInBundles(name: string): boolean {
  return isSecretName(name) || LOCAL_PLACES.has(name.toLowerCase());
}

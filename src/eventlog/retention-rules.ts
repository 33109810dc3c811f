import { KEY_KINDS } from '#store/keys.ts';

/** `with its run`: together with the events of the run. `with its session`: with the session, where sessions are removed whole. */
type Removable = 'with its run' | 'with its session';

/**
 * What retention does with each kind of record, besides what is removed: `own window`: expires by itself. `kept`: outlives all
 * else, because it is small and proves something. A new kind of record has to say what it is.
 */
const RETENTION_RULES: Record<keyof typeof KEY_KINDS, Removable | 'own window' | 'kept'> = {
  event: 'with its run',
  sessionEvent: 'with its run',
  taskEvent: 'with its run',
  frame: 'with its run',
  idempotency: 'own window',
  answersSwept: 'kept',
  input: 'own window',
  commit: 'with its run',
  summary: 'kept',
  content: 'with its session',
  part: 'with its session',
  layout: 'with its session',
  receipt: 'with its session',
  trust: 'kept',
  resource: 'with its session',
  fold: 'with its session',
  list: 'with its session',
  base: 'with its session',
  cut: 'with its session',
  tombstone: 'kept',
  leaf: 'kept',
  treeNode: 'kept',
  treeHead: 'kept',
  meta: 'kept',
};

const prefixesOf = (rule: Removable): string[] =>
  Object.entries(RETENTION_RULES)
    .filter(([, found]) => found === rule)
    .map(([kind]) => KEY_KINDS[kind as keyof typeof KEY_KINDS].prefix);

const PREFIXES: Record<Removable, string[]> = {
  'with its run': prefixesOf('with its run'),
  'with its session': prefixesOf('with its session'),
};

/** Throws for a record that retention has to keep: a fault of the caller. */
export function refuseKept(key: string, rule: Removable = 'with its run'): void {
  if (!PREFIXES[rule].some((prefix) => key.startsWith(prefix)))
    throw new Error(`Retention must not remove ${key}.`);
}

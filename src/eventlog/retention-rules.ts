import { KEY_KINDS } from '../store/keys.ts';

/**
 * What retention does with each kind of record. `with its run`: removed together with the events of the run. `own window`:
 * expires by itself. `kept`: outlives events, because it is small and proves something, or because a readable resource
 * needs it. A new kind of record has to say what it is; receipts and keys are `kept`.
 */
const RETENTION_RULES: Record<keyof typeof KEY_KINDS, 'with its run' | 'own window' | 'kept'> = {
  event: 'with its run',
  sessionEvent: 'with its run',
  taskEvent: 'with its run',
  frame: 'with its run',
  idempotency: 'own window',
  answersSwept: 'kept',
  input: 'own window',
  commit: 'with its run',
  summary: 'kept',
  content: 'kept',
  part: 'kept',
  layout: 'kept',
  receipt: 'kept',
  trust: 'kept',
  resource: 'kept',
  fold: 'kept',
  list: 'kept',
  base: 'kept',
  cut: 'kept',
  leaf: 'kept',
  treeNode: 'kept',
  treeHead: 'kept',
  meta: 'kept',
};

const REMOVABLE = Object.entries(RETENTION_RULES)
  .filter(([, rule]) => rule === 'with its run')
  .map(([kind]) => KEY_KINDS[kind as keyof typeof KEY_KINDS].prefix);

/** Throws for a record that retention has to keep: a fault of the caller. */
export function refuseKept(key: string): void {
  if (!REMOVABLE.some((prefix) => key.startsWith(prefix)))
    throw new Error(`Retention must not remove ${key}.`);
}

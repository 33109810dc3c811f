import { unlessDamaged } from '#core/unless-damaged.ts';
import type { Event, EventLog } from '#eventlog/event-log.ts';
import { artifactIn } from '#resources/artifact/artifact-in.ts';
import { recordsOf } from '#resources/artifact/content.ts';
import { receiptKey } from '#store/keys.ts';
import type { MissingDependency } from './record/history.ts';

/** The first receipt or Artifact that the events of a run name and that is not stored any more. */
export function firstMissingRecord(
  log: EventLog,
  workspaceId: string,
  events: readonly Event[],
): MissingDependency | undefined {
  const seen = new Set<string>();
  for (const { kind, id } of events.flatMap(namedBy)) {
    const known = seen.size;
    if (seen.add(id).size === known) continue;
    if (!isThere(log, workspaceId, { kind, id })) return { kind, id };
  }
  return undefined;
}

type Named = MissingDependency & { kind: 'receipt' | 'artifact' };

/** What is damaged is there: that is for the verification to find. */
function isThere(log: EventLog, workspaceId: string, { kind, id }: Named): boolean {
  return unlessDamaged(() => {
    if (kind === 'receipt') return log.record(receiptKey(id)) !== undefined;
    const artifact = artifactIn({ get: log.state.bind(log) }, workspaceId, id);
    return artifact !== undefined && recordsOf(artifact).every((key) => log.record(key) !== undefined);
  }, true);
}

function namedBy({ event, resource, payload }: Event): Named[] {
  if (event === 'receipt.issued') return [{ kind: 'receipt', id: String(payload['receipt_id']) }];
  if (resource.object === 'artifact') return [{ kind: 'artifact', id: resource.id }];
  const { message } = payload as { message?: { parts?: { type?: string; artifact_id?: string }[] } };
  return (message?.parts ?? []).flatMap(({ type, artifact_id: id }): Named[] =>
    (type === 'artifact_ref' || type === 'image_ref') && id !== undefined ? [{ kind: 'artifact', id }] : [],
  );
}

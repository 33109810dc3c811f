import type { Effect, EffectResult } from '#core/command.ts';
import type { Interpret } from '#protocol-client.ts';
import { type RestoreParts, restoreSession } from '#resources/bundle/restore-session.ts';
import { verifyStoredReceipt } from '#resources/receipt/verify-receipt.ts';
import { checkDependencies } from '#resources/replay/check-dependencies.ts';
import type { TaskRunner } from '#runner/task-runner.ts';
import type { FileTree } from '#store/file-tree.ts';
import type { OpenData } from './open-data.ts';
import type { Sending } from './outbox.ts';

/** What effects are done with. */
export interface PerformerParts extends Pick<RestoreParts, 'bundles' | 'redact'> {
  interpretOf: (route: string) => Interpret | undefined;
  sending: Sending;
}

/** Does what a command named, outside of its transaction. */
export function performer(
  { log, keys }: OpenData,
  runner: TaskRunner,
  files: FileTree,
  { interpretOf, sending, ...restoring }: PerformerParts,
): (effect: Effect, signal: AbortSignal) => Promise<EffectResult> {
  const canInterpret = (route: string) => interpretOf(route) !== undefined;
  return async (effect, signal) => {
    if (effect.kind === 'await_cancel') {
      const cancelReport = await runner.cancel(effect.taskId);
      return cancelReport === undefined ? {} : { cancelReport };
    }
    if (effect.kind === 'check_target') await sending.checkTarget(effect.url);
    if (effect.kind === 'write_file') await files.write(effect.root, effect.names, effect.bytes);
    if (effect.kind === 'check_replay')
      return { taskIds: await checkDependencies(log, effect.source, canInterpret) };
    if (effect.kind === 'restore_session')
      return { restored: await restoreSession({ log, ...restoring }, effect.request, signal) };
    if (effect.kind !== 'verify_receipt') return {};
    const { receiptId, trustAnchor } = effect;
    return {
      receiptVerdict: await verifyStoredReceipt(log, keys.verificationKeys(), receiptId, trustAnchor),
    };
  };
}

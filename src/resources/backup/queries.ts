import type { Handlers } from '#core/command.ts';
import type { Query } from '#core/query.ts';

/** Recorded before it begins: whoever has it has everything. */
const createBackup: Query<'createBackup'> = async ({ body }, { backups, by, time, signal }) => {
  const chunks = await backups.make(body ?? { include: [] }, { actor: by.actor, signal });
  const fileName = `harn-gateway-${time.replaceAll(':', '-')}.backup`;
  return {
    status: 200,
    body: { kind: 'bytes', mimeType: 'application/vnd.harn.backup', size: undefined, fileName, chunks },
  };
};

export const handlers = { createBackup } satisfies Partial<Handlers>;

import type { Command } from '#core/command.ts';
import { loadWorkspace } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import { patchedMetadata } from '#core/refuse-large-members.ts';
import type { CleanObject } from '#protocol/clean.ts';
import { refuseUnknownQuota } from '#resources/quota/quota-usage.ts';

export const updateWorkspace: Command<'updateWorkspace'> = {
  decide({ path, body }, tx, facts) {
    const { resource } = loadWorkspace(tx, facts.caller, path.workspace_id);
    const { name, capabilities, quota_id, metadata } = body;
    refuseUnknownQuota(tx, facts, quota_id);
    const changes: CleanObject = {
      ...(name === undefined ? {} : { name }),
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(quota_id === undefined ? {} : { quota_id }),
      ...(metadata === undefined
        ? {}
        : { metadata: patchedMetadata(resource.metadata, metadata, facts.limits) }),
    };
    if (Object.keys(changes).length > 0) {
      const pointer = { object: 'workspace', id: resource.id };
      tx.append(
        newEvent(
          'vendor.harn_gateway.workspace_updated',
          pointer,
          { workspace_id: resource.id },
          { changes },
        ),
      );
    }
    return { body: loadWorkspace(tx, facts.caller, path.workspace_id).resource };
  },
};

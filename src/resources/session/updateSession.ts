import { type Command, metadataOf } from '#core/command.ts';
import { expiryOf } from '#core/expiry.ts';
import { load } from '#core/load.ts';
import { newEvent, placeOfSession } from '#core/new-event.ts';
import { patchedMetadata } from '#core/refuse-large-members.ts';
import type { CleanObject } from '#protocol/clean.ts';
import { refuseUnknownRoute } from '#resources/agent/choose-route.ts';
import { proveTierChange, refuseUnknownTier } from './session-tier.ts';
import { withOwnBudget } from './transcript/budget.ts';

export const updateSession: Command<'updateSession'> = {
  decide({ path, body }, tx, facts) {
    const { resource } = load(tx, facts.caller, 'session', path.session_id);
    refuseUnknownRoute(facts.routes, metadataOf(body));
    refuseUnknownTier(metadataOf(body));
    const changes: CleanObject = {
      ...(body.summary === undefined ? {} : { summary: body.summary }),
      ...(body.metadata === undefined
        ? {}
        : {
            metadata: patchedMetadata(
              resource.metadata,
              withOwnBudget(body.metadata, resource.metadata),
              facts.limits,
            ),
          }),
      ...(body.metadata?.['expires_at'] === undefined ? {} : { expires_at: expiryOf(body.metadata) }),
    };
    if (Object.keys(changes).length > 0) {
      const place = placeOfSession(resource);
      const pointer = { object: 'session', id: resource.id };
      const draft = newEvent('vendor.harn_gateway.session_updated', pointer, place, { changes });
      const event = tx.append(draft);
      const { metadata } = load(tx, facts.caller, 'session', path.session_id).resource;
      proveTierChange(tx, facts, resource, { event, metadata });
    }
    return { body: load(tx, facts.caller, 'session', path.session_id).resource };
  },
};

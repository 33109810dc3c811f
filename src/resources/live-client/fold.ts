import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { changeSession } from '#resources/session/fold.ts';
import { liveClientKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.live_client_changed': [foldLiveClientChanged],
};

/** The event has everybody who is there. Whoever worked in a Session elsewhere is not here. */
function foldLiveClientChanged(event: Event, states: StateWriter): void {
  if ('imported' in event.metadata) return;
  const { clients, active_controller_id, held_by } = payload(
    event,
    'vendor.harn_gateway.live_client_changed',
  );
  changeSession(event, states, ({ resource, internal }) => {
    resource.live_clients = clients;
    resource.live_controller_id = active_controller_id;
    internal.live = held_by;
    const place = liveClientKeys.liveSessions + resource.id;
    if (clients.length === 0) states.unindex(place);
    else states.index(place);
  });
}

import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { payload } from '#resources/payload.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { SigningKeyState } from '#resources/states.ts';

export function foldSigningKeyChanged(event: Event, states: StateWriter): void {
  const { key_id, status } = payload(event, 'vendor.harn_gateway.signing_key_changed');
  states.set(stateKey.signingKey(key_id), { status } satisfies SigningKeyState);
}

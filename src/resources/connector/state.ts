import type { Clean } from '#protocol/clean.ts';
import { idKey, idTextKey } from '#resources/states.ts';
import type { ConnectorDelivery } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const connectorKeys = {
  delivery: idTextKey('x/delivery/'),
  signedDelivery: idTextKey('x/sd/'),
  connectorSession: idKey('x/cs/'),
} as const;

/** What became of a delivery. */
export interface DeliveryState {
  delivery: ConnectorDelivery;
}

/** The session that a connector without a configured one delivers to. */
export interface ConnectorSessionState {
  session_id: string;
}

/** As they are read: what was folded of clean events is clean. */
export type CleanDeliveryState = Clean<DeliveryState>;
export type CleanConnectorSessionState = Clean<ConnectorSessionState>;

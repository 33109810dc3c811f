export { PortRelay } from './port-relay.ts';
export { Relay } from './relay.ts';

import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';

/**
 * How agents are offered to clients that speak A2A: what every card here says, in order of preference. HTTP+JSON of 0.3 is not
 * among it: its clients (@a2a-js/sdk 0.3.14 and 1.3.0) drop `append`, so that each chunk of an artifact would replace the last.
 */
export const A2A_OFFER = {
  bindings: [
    { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  ],
  pushNotifications: true,
  extendedAgentCard: true,
  extensions: [
    {
      uri: HARN_EXTENSION,
      description: 'Ids, events and facts of the Harn Agents Protocol, in metadata under this URI.',
    },
  ],
} as const;

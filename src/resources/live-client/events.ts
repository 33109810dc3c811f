import { z } from 'zod';
import { CLIENT_MODES, liveSessionClient, liveSessionClientChange } from './schema.ts';

export const LIVE_CLIENT_ACTIONS = ['attached', 'takeover', 'detached'] as const;

/** Who attached a client, and the connection with which it goes; null for one that only says itself that it goes. */
const holder = z.object({ actor: z.string(), connection: z.string().nullable() });
export type LiveClientHolder = z.infer<typeof holder>;

/** Payloads of who comes, goes, and takes control of a Session. */
export const LIVE_CLIENT_EVENTS = {
  'vendor.harn_gateway.live_client_changed': z.object({
    action: z.enum(LIVE_CLIENT_ACTIONS),
    client_id: z.string(),
    /** What it was when it went. */
    mode: z.enum(CLIENT_MODES),
    reason: z.string().nullable(),
    ...liveSessionClientChange.shape,
    clients: z.array(liveSessionClient),
    held_by: z.record(z.string(), holder),
    /** The same as Harn says it, in the words of ACP. */
    update: z.object({
      sessionUpdate: z.literal('live_session_client'),
      _meta: z.object({
        harn: z.object({ action: z.enum(LIVE_CLIENT_ACTIONS), state: liveSessionClientChange }),
      }),
    }),
  }),
} as const;

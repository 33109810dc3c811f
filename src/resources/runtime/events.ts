import { z } from 'zod';

const changed = z.object({
  added: z.array(z.string()),
  replaced: z.array(z.string()),
  removed: z.array(z.string()),
});

export const RUNTIME_EVENTS = {
  /** Changed options of the configuration are about to take effect. Their values are not on record: they may be secrets. */
  'vendor.harn_gateway.configuration_reloaded': z.object({
    /** Named as in the file, for example `upstreams.acp`. */
    applied: z.array(z.string()).min(1),
    /** Agents, servers and tools that changed. */
    routes: changed,
    /** Ids of keys of the file that changed; who holds a removed one is refused from now on. */
    api_keys: changed,
  }),
} as const;

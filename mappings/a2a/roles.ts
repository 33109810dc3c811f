import type { Role } from '#resources/message/schema.ts';
import { type Found, wordTable } from '../table.ts';

export type RoleV1 = 'ROLE_UNSPECIFIED' | 'ROLE_USER' | 'ROLE_AGENT';
export type RoleV03 = 'user' | 'agent';

const SAID_BY = 'which of the agent side spoke';

/** Spec: A2A 1.0, Role. */
export const ROLES_V1 = wordTable<Role, RoleV1>()({
  toForeign: {
    user: 'ROLE_USER',
    agent: 'ROLE_AGENT',
    assistant: { to: 'ROLE_AGENT', loses: `${SAID_BY}: assistant` },
    system: { to: 'ROLE_AGENT', loses: `${SAID_BY}: system` },
    tool: { to: 'ROLE_AGENT', loses: `${SAID_BY}: tool` },
  },
  fromForeign: {
    ROLE_USER: 'user',
    ROLE_AGENT: 'agent',
    ROLE_UNSPECIFIED: { to: null, loses: 'that a role was named at all' },
  },
});

/** Spec: A2A 0.3, Message.role. */
export const ROLES_V03 = wordTable<Role, RoleV03>()({
  toForeign: {
    user: 'user',
    agent: 'agent',
    assistant: { to: 'agent', loses: `${SAID_BY}: assistant` },
    system: { to: 'agent', loses: `${SAID_BY}: system` },
    tool: { to: 'agent', loses: `${SAID_BY}: tool` },
  },
  fromForeign: { user: 'user', agent: 'agent' },
});

/** Takes the words of both versions. */
export function decodeRole(raw: string): Found<Role> {
  const found = ROLES_V1.decode(raw);
  return found.known ? found : ROLES_V03.decode(raw);
}

import { listPrefix, stateKey } from '../../projections/state-keys.ts';
import type { ApiKeyState } from '../../projections/states.ts';
import { listPage } from '../list-page.ts';
import { seesApiKey } from '../make-api-key.ts';
import type { Query } from '../query.ts';
import { paging } from './workspaces.ts';

export const listApiKeys: Query<'listApiKeys'> = ({ query }, tools) =>
  listPage(tools, {
    prefixes: [listPrefix.apiKeys(tools.caller.tenant)],
    ...paging(query),
    keyOf: stateKey.apiKey,
    shape: (state, { reader, caller }) => {
      const { resource } = state as ApiKeyState;
      return seesApiKey(reader, caller, resource) ? resource : undefined;
    },
  });

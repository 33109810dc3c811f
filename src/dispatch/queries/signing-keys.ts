import { listGiven } from '../list-page.ts';
import type { Query } from '../query.ts';
import { signingKeyOf } from '../signing-keys.ts';
import { paging } from './workspaces.ts';

export const listSigningKeys: Query<'listSigningKeys'> = ({ query }, tools) =>
  listGiven(tools, tools.signingKeys.rows().map(signingKeyOf), paging(query));

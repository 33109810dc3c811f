import { listGiven, paging } from '#core/list-page.ts';
import type { Query } from '#core/query.ts';
import { signingKeyOf } from './signing-keys.ts';

export const listSigningKeys: Query<'listSigningKeys'> = ({ query }, tools) =>
  listGiven(tools, tools.signingKeys.rows().map(signingKeyOf), paging(query));

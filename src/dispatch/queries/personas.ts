import { listPrefix, stateKey } from '../../projections/state-keys.ts';
import { ok } from '../answer.ts';
import { listPage } from '../list-page.ts';
import { load } from '../load.ts';
import type { Query } from '../query.ts';
import { paging } from './workspaces.ts';

export const listPersonas: Query<'listPersonas'> = ({ query }, tools) => {
  const lists = [listPrefix.personas(tools.caller.tenant)];
  return listPage(tools, { lists, ...paging(query), keyOf: stateKey.persona });
};

export const getPersona: Query<'getPersona'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'persona', path.persona_id).resource, caller);

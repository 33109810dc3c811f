import { listPage, paging } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import { personaKeys } from './state.ts';

export const listPersonas: Query<'listPersonas'> = ({ query }, tools) => {
  const lists = [personaKeys.personas(tools.caller.tenant)];
  return listPage(tools, { lists, ...paging(query), keyOf: personaKeys.persona });
};

export const getPersona: Query<'getPersona'> = ({ path }, { reader, caller }) =>
  ok(load(reader, caller, 'persona', path.persona_id).resource, caller);

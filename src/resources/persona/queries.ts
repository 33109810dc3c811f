import { getOf, listOf } from '#core/collection.ts';
import { personaKeys } from './state.ts';

export const listPersonas = listOf({ keyOf: personaKeys.persona, ofTenant: personaKeys.personas });

export const getPersona = getOf('persona', 'persona_id');

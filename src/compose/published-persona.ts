import type { EventLog } from '#eventlog/event-log.ts';
import type { AdmittedCaller, Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Persona } from '#resources/persona/schema.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { PersonaState } from '#resources/states.ts';

export interface PersonaReader {
  requestId: string;
  /** Undefined for one who sent no credential; throws for a bad one. */
  caller(): AdmittedCaller | undefined;
  signal: AbortSignal;
}

/**
 * The persona whose card may be read: by anybody when the operator wrote it down in a file, as agents are; by those who may
 * read the persona when it was made by API. Undefined for one that is hidden or absent, which are alike.
 */
export function publishedPersona(log: EventLog, gateway: Gateway) {
  return async (id: string, reader: PersonaReader): Promise<Persona | undefined> => {
    if (!ID.test(id)) return undefined;
    const state = log.state<PersonaState>(stateKey.persona(id));
    if (state === undefined || state.internal.file_hash !== null) return state?.resource;
    const caller = reader.caller();
    if (caller === undefined) return undefined;
    const { requestId, signal } = reader;
    const call = {
      requestId,
      caller,
      signal,
      path: { persona_id: id },
      query: {},
      body: undefined,
      idempotencyKey: undefined,
      lastEventId: undefined,
      accept: undefined,
      traceparent: undefined,
    };
    try {
      const { body } = await gateway.call('getPersona', call);
      return body.kind === 'json' ? (body.value as unknown as Persona) : undefined;
    } catch (error) {
      if (error instanceof ProtocolError && HIDDEN.has(error.code)) return undefined;
      throw error;
    }
  };
}

/** Ids that can be in a key; anything else names nothing. */
const ID = /^[A-Za-z0-9_.-]{1,128}$/;
const HIDDEN: ReadonlySet<string> = new Set(['resource_not_found', 'permission_denied']);

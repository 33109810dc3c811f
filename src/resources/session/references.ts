import type { Facts } from '#core/facts.ts';
import { load, notFound } from '#core/load.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import type { Clean } from '#protocol/clean.ts';
import { loadMemory } from '#resources/memory/content.ts';
import { skillsOf } from '#resources/skill/skills.ts';
import type { CreateSessionRequest } from './schema.ts';

export type SessionReferences = Clean<Pick<CreateSessionRequest, 'vault_ids' | 'memory_ids' | 'skill_ids'>>;

/** What a new Session names besides its workspace; everything has to be visible to the caller, and is recorded. */
export function referencesOf(
  body: Clean<CreateSessionRequest>,
  tx: StateReader & { time: string },
  { caller, self }: Pick<Facts, 'caller' | 'self'>,
): SessionReferences {
  const { persona_id, vault_ids, memory_ids, skill_ids } = body;
  if (persona_id) load(tx, caller, 'persona', persona_id, 'persona_id');
  memory_ids?.forEach((id, at) => {
    loadMemory(tx, caller, id, tx.time, `memory_ids[${at}]`);
  });
  vault_ids?.forEach((id, at) => {
    load(tx, caller, 'vault', id, `vault_ids[${at}]`);
  });
  const known = new Set(skill_ids ? skillsOf(self).map(({ id }) => id) : []);
  skill_ids?.forEach((id, at) => {
    if (!known.has(id)) throw notFound('skill', `skill_ids[${at}]`);
  });
  return Object.fromEntries(
    Object.entries({ vault_ids, memory_ids, skill_ids }).filter(([, ids]) => ids !== undefined),
  );
}

import type { EventLog } from '#eventlog/event-log.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import { asCleanObject, type Clean, type CleanObject, type CleanText, own } from '#protocol/clean.ts';
import type { TrustTools } from '#resources/trust/record-trust.ts';
import { createPersonaOf, revisePersona } from './commands.ts';
import type { PersonaDefinition } from './schema.ts';
import { type CleanPersonaState, personaKeys } from './state.ts';

export interface ConfiguredPersona {
  id: CleanText;
  tenant: CleanText;
  definition: Clean<PersonaDefinition>;
}

/**
 * Makes the log say what the files say: a new file creates its Persona, a changed one is its next revision. What callers
 * updated since stays until the file itself changes. A file that is gone leaves its Persona, because tasks name it.
 */
export async function ensurePersonas(
  log: EventLog,
  tools: TrustTools,
  rows: readonly ConfiguredPersona[],
): Promise<void> {
  const changed = rows.filter(
    (row) => log.state<CleanPersonaState>(personaKeys.persona(row.id))?.internal.file_hash !== hashOf(row),
  );
  if (changed.length === 0) return;
  await log.transact({ actor: null }, (tx) => {
    for (const row of changed) {
      const { id, tenant, definition } = row;
      const known = tx.get<CleanPersonaState>(personaKeys.persona(id));
      if (known)
        revisePersona(tx, tools, known, changesOf(definition), definition.autonomy_tier, hashOf(row));
      else createPersonaOf(tx, id, definition, { tenant, fileHash: hashOf(row) });
    }
  });
}

function changesOf(definition: Clean<PersonaDefinition>): CleanObject {
  return asCleanObject<PersonaDefinition>(definition);
}

function hashOf({ definition }: ConfiguredPersona): CleanText {
  return own(sha256Hex(canonicalJson(changesOf(definition))));
}

import type { Projection } from '#eventlog/event-log.ts';
import { apiKeyFolds } from './api-key/fold.ts';
import { artifactFolds } from './artifact/fold.ts';
import { branchFolds } from './branch/fold.ts';
import {
  bundleFolds,
  foldImported,
  importedStates,
  importMarkOf,
  localEvent,
} from './bundle/fold-imported.ts';
import { connectorFolds } from './connector/fold.ts';
import { memoryFolds } from './memory/fold.ts';
import { messageFolds } from './message/fold.ts';
import type { Fold } from './payload.ts';
import { permissionFolds } from './permission/fold.ts';
import { personaFolds } from './persona/fold.ts';
import { pushFolds } from './push/fold.ts';
import { quotaFolds } from './quota/fold.ts';
import { receiptFolds } from './receipt/fold.ts';
import { changeSession, sessionFolds } from './session/fold.ts';
import { transcriptFolds } from './session/transcript/fold.ts';
import { skillFolds } from './skill/fold.ts';
import { taskFolds } from './task/fold.ts';
import { trustFolds } from './trust/fold.ts';
import { vaultFolds } from './vault/fold.ts';
import { workspaceFolds } from './workspace/fold.ts';

/** A line for each room. Where two fold one kind of event, this is their order. */
const ROOMS = [
  workspaceFolds,
  messageFolds,
  sessionFolds,
  transcriptFolds,
  taskFolds,
  apiKeyFolds,
  artifactFolds,
  branchFolds,
  bundleFolds,
  connectorFolds,
  memoryFolds,
  permissionFolds,
  personaFolds,
  pushFolds,
  quotaFolds,
  receiptFolds,
  skillFolds,
  trustFolds,
  vaultFolds,
];

/** What an event of a kind drives. A kind without folds changes no resource but `last_event_id`. */
const FOLDS = new Map<string, Fold[]>();
for (const room of ROOMS) {
  for (const [kind, folds] of Object.entries(room)) FOLDS.set(kind, [...(FOLDS.get(kind) ?? []), ...folds]);
}

/**
 * Everything a client can read is folded from events by this one function. What was recorded by another gateway folds to the same
 * states, in the Workspace it was imported into.
 */
export const project: Projection = (event, states) => {
  const mark = 'imported' in event.metadata ? importMarkOf(event) : undefined;
  const local = mark === undefined || mark.opaque ? event : localEvent(event, mark);
  const writer = mark === undefined ? states : importedStates(states);
  if (!mark?.opaque) for (const fold of FOLDS.get(event.event) ?? []) fold(local, writer);
  changeSession(local, writer);
  if (mark !== undefined) foldImported(event, mark, states);
};

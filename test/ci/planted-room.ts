/** A whole room as src/resources/README.md tells how to add one: notes, by their path from the package root. */
export const NOTE: Readonly<Record<string, string>> = {
  'src/resources/note/README.md': '# note\n\nNotes that can be written and read.\n',
  'src/resources/note/schema.ts': `import { z } from 'zod';
import { envelope, metadata } from '#protocol/envelope.ts';

export const note = envelope('note', { text: z.string() }).meta({ id: 'Note' });
export type Note = z.infer<typeof note>;

export const createNoteRequest = z
  .object({ text: z.string().min(1), metadata: metadata.optional() })
  .meta({ id: 'CreateNoteRequest' });
`,
  'src/resources/note/operations.ts': `import type { OperationRow } from '#protocol/operation-row.ts';
import { createNoteRequest, note } from './schema.ts';

const shared = { tag: 'Notes', level: 'extended', response: note } as const;

export const notesOperations = {
  createNote: {
    ...shared,
    kind: 'command',
    method: 'POST',
    path: '/v1/notes',
    summary: 'Write a note.',
    scope: 'memories:write',
    success: 201,
    body: createNoteRequest,
  },
  getNote: {
    ...shared,
    kind: 'query',
    method: 'GET',
    path: '/v1/notes/{note_id}',
    summary: 'Read a note.',
    scope: 'memories:read',
    success: 200,
  },
} as const satisfies Record<string, OperationRow>;
`,
  'src/resources/note/events.ts': `import { z } from 'zod';
import { note } from './schema.ts';

export const NOTE_EVENTS = {
  'vendor.harn_gateway.note_created': z.object({ note, tenant: z.string() }),
} as const;
`,
  'src/resources/note/state.ts': `import type { Clean } from '#protocol/clean.ts';
import { type Folded, idKey } from '#resources/states.ts';
import type { Note } from './schema.ts';

export const noteKeys = { note: idKey<CleanNoteState>('r/note/') } as const;

export type NoteState = Folded<Note, { tenant: string }>;
export type CleanNoteState = Clean<NoteState>;
`,
  'src/resources/note/fold.ts': `import { type Folds, payload } from '#resources/payload.ts';
import { type NoteState, noteKeys } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.note_created': [
    (event, states) => {
      const { note, tenant } = payload(event, 'vendor.harn_gateway.note_created');
      states.set(noteKeys.note(note.id), { resource: note, internal: { tenant } } satisfies NoteState);
    },
  ],
};
`,
  'src/resources/note/commands.ts': `import { getOf } from '#core/collection.ts';
import type { Command, Handlers } from '#core/command.ts';
import { metadataOf } from '#core/decode-input.ts';
import { load } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { Clean } from '#protocol/clean.ts';
import type { Note } from './schema.ts';

const createNote: Command<'createNote'> = {
  decide({ body }, tx, facts) {
    const { tenant } = facts.by;
    const note: Clean<Note> = {
      id: facts.newId('note'),
      object: 'note',
      created_at: tx.time,
      updated_at: tx.time,
      metadata: metadataOf(body),
      text: body.text,
    };
    const pointer = { object: 'note', id: note.id };
    tx.append(newEvent('vendor.harn_gateway.note_created', pointer, { tenant_id: tenant }, { note, tenant }));
    return { body: load(tx, facts.caller, 'note', note.id).resource };
  },
};

export const handlers = { createNote, getNote: getOf('note', 'note_id') } satisfies Partial<Handlers>;
`,
  'src/resources/note/example.ts': `import { resource } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

export const examples = {
  Note: resource('note', 'note_01KAHG6A16X2A4S6D8F0H2K4N6', { text: 'Water the plants.' }),
  CreateNoteRequest: { text: 'Water the plants.' },
} satisfies Examples;
`,
  'src/resources/note/room.ts': `import type { Room } from '#resources/room.ts';
import { NOTE_EVENTS } from './events.ts';
import { notesOperations } from './operations.ts';
import { noteKeys } from './state.ts';

export const note = {
  operations: notesOperations,
  events: NOTE_EVENTS,
  states: { note: noteKeys.note },
  folds: () => import('./fold.ts'),
  handlers: () => import('./commands.ts'),
  examples: () => import('./example.ts'),
} satisfies Room;
`,
};

export const LIST = 'src/resources/rooms.ts';
export const LINE = "export { note } from './note/room.ts';\n";

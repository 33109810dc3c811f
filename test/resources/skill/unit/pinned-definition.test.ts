import { describe, expect, it } from 'vitest';
import type { Event } from '#eventlog/event-log.ts';
import { folds } from '#resources/skill/fold.ts';
import { pinnedDefinition } from '#resources/skill/skills.ts';
import { FoldedRows } from '../../../harness/folded-rows.ts';

type Change = 'added' | 'changed' | 'removed' | 'accepted';
const FIRST = { name: 'read', description: 'Reads.' };
const SECOND = { name: 'read', description: 'Reads, and sends.' };

/** What a tool is held to after these changes of its definition; a definition that is long is left out of its event. */
function heldTo(...changes: [Change, sha256: string, definition?: object][]) {
  const states = new FoldedRows();
  const [fold] = folds['vendor.harn_gateway.skill_definition'] ?? [];
  for (const [change, definition_sha256, definition] of changes) {
    const payload = { route: 'mcp:files', tool: 'read', change, definition_sha256, definition };
    fold?.({ event: 'vendor.harn_gateway.skill_definition', payload } as unknown as Event, states);
  }
  return pinnedDefinition(states, 'mcp:files', 'read');
}

describe('the definition that a tool is held to', () => {
  it('is the first one, by its hash and as it was shown, however often the tool changes', () => {
    const pinned = { sha256: 'one', shown: FIRST };
    expect(heldTo(['added', 'one', FIRST])).toEqual(pinned);
    expect(heldTo(['added', 'one', FIRST], ['changed', 'two', SECOND], ['removed', 'two', SECOND])).toEqual(
      pinned,
    );
  });

  it('is another one once that is accepted', () => {
    const accepted = heldTo(['added', 'one', FIRST], ['changed', 'two', SECOND], ['accepted', 'two', SECOND]);
    expect(accepted).toEqual({ sha256: 'two', shown: SECOND });
  });

  it('is known by its hash alone where it was long, or is from before definitions were kept', () => {
    expect(heldTo(['added', 'one'])).toEqual({ sha256: 'one', shown: undefined });
    expect(heldTo(['added', 'one'], ['changed', 'two', SECOND])).toEqual({ sha256: 'one', shown: undefined });
    expect(heldTo(['added', 'one'], ['changed', 'one', FIRST])).toEqual({ sha256: 'one', shown: FIRST });
  });
});

import { describe, expect, it } from 'vitest';
import { EVENT_PAYLOADS } from '#resources/event-payloads.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { OPERATIONS, operation } from '#resources/operations.ts';
import { together } from '#resources/room.ts';

describe('the tables that are made of the rooms', () => {
  it('have the rows of every room, of those with several groups too', () => {
    const ids = ['createMemory', 'listSigningKeys', 'getReceiptLogHead', 'listDeadLetters', 'getHealth'];
    expect(Object.keys(OPERATIONS)).toEqual(expect.arrayContaining(ids));
    expect(operation('createMemory')).toMatchObject({ method: 'POST', path: '/v1/memories' });
    const kinds = ['session.compacted', 'tool.requested', 'replay.started', 'agent.message'];
    expect(Object.keys(EVENT_PAYLOADS)).toEqual(expect.arrayContaining(kinds));
  });

  it('have a handler for each command and query, and no other', async () => {
    const { handlers } = await loadRooms();
    const called = Object.entries(OPERATIONS).flatMap(([id, { kind }]) =>
      kind === 'command' || kind === 'query' ? [id] : [],
    );
    expect(Object.keys(handlers).sort()).toEqual(called.sort());
  });

  it('say what ends by the clock', async () => {
    const { expiries } = await loadRooms();
    const lists = ['l/hold-expiry/', 'l/memory-expiry/', 'l/permission-expiry/', 'l/session-expiry/'];
    expect(expiries.map(({ prefix }) => prefix).sort()).toEqual(lists);
  });

  it('take a name from one room only: no row, no kind of event goes lost', () => {
    expect(together([{ a: 1 }, { b: 2 }])).toEqual({ a: 1, b: 2 });
    expect(() => together([{ a: 1 }, { b: 2, a: 3 }])).toThrow('two rooms have a');
  });
});

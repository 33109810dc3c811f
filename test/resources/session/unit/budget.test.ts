import { describe, expect, it } from 'vitest';
import { fromLog } from '#protocol/clean.ts';
import { budgetOf, overrun, usageOf, withOwnBudget } from '#resources/session/transcript/budget.ts';
import type { TranscriptArchive } from '#resources/session/transcript/schema.ts';

const CONFIGURED = { messages: 100, events: 1_000, bytes: null, recovery: 'compact' as const };
const ARCHIVE: TranscriptArchive = {
  turns: 6,
  first_message_id: 'message_0',
  last_message_id: 'message_5',
  through_event_id: '00000000000000000020',
  summary: 'Before.',
  summary_source: 'caller',
  kept: [{ message_id: 'message_3', position: 3 }],
  counted: { events: 20, bytes: 300 },
};

describe('the budget of a session', () => {
  it('is the configured one, or less where the session says so; never more', () => {
    expect(budgetOf(CONFIGURED, {})).toEqual(CONFIGURED);
    const own = { max_messages: 10, max_events: 9_999, max_bytes: 2_048, recovery: 'trim' };
    expect(budgetOf(CONFIGURED, { transcript_budget: own })).toEqual({
      messages: 10,
      events: 1_000,
      bytes: 2_048,
      recovery: 'trim',
    });
    expect(budgetOf({ ...CONFIGURED, bytes: 1_500 }, { transcript_budget: own }).bytes).toBe(1_500);
  });

  it('is the configured one where what a session says makes no sense', () => {
    expect(budgetOf(CONFIGURED, { transcript_budget: { max_messages: 'many' } })).toEqual(CONFIGURED);
  });

  it('counts what is not archived, and archived turns that stayed', () => {
    const counts = { messages: 10, events: 50, bytes: 900 };
    expect(usageOf(counts)).toEqual(counts);
    expect(usageOf({ ...counts, archive: ARCHIVE })).toEqual({ messages: 5, events: 30, bytes: 600 });
    expect(usageOf({ messages: 0 })).toEqual({ messages: 0, events: 0, bytes: 0 });
  });

  it('is passed by the first item too many, and not by the last that fits', () => {
    const one = { messages: 1, events: 1, bytes: 10 };
    const budget = { ...CONFIGURED, bytes: 500 };
    expect(overrun({ messages: 99, events: 999, bytes: 490 }, one, budget)).toBeUndefined();
    expect(overrun({ messages: 100, events: 999, bytes: 490 }, one, budget)).toBe('messages');
    expect(overrun({ messages: 99, events: 1_000, bytes: 490 }, one, budget)).toBe('events');
    expect(overrun({ messages: 99, events: 999, bytes: 491 }, one, budget)).toBe('bytes');
    expect(overrun({ messages: 99, events: 999, bytes: 9_999 }, one, CONFIGURED)).toBeUndefined();
  });

  it('keeps the last action of the gateway through every change of a caller, also when the policy is taken back', () => {
    const before = fromLog({ transcript_budget: { max_messages: 5, last_action: { action: 'compacted' } } });
    expect(
      withOwnBudget(fromLog({ transcript_budget: { max_messages: 7, last_action: 'mine' } }), before),
    ).toEqual({
      transcript_budget: { max_messages: 7, last_action: { action: 'compacted' } },
    });
    expect(withOwnBudget({ transcript_budget: null }, before)).toEqual({
      transcript_budget: { last_action: { action: 'compacted' } },
    });
    expect(withOwnBudget({ other: 1 }, before)).toEqual({ other: 1 });
  });
});

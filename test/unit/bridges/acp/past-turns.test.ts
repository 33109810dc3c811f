import { describe, expect, it } from 'vitest';
import { historyText, instructionText } from '../../../../bridges/acp/client/open-session.ts';

describe('what an ACP agent is told that has no session yet', () => {
  it('the system prompt of the session, a text as it is and anything else as JSON', () => {
    expect(instructionText({ system_prompt: 'Be exact.' })).toMatch(/\n\nBe exact\.$/);
    expect(instructionText({ system_prompt: { tone: 'dry' } })).toMatch(/\n\n\{"tone":"dry"\}$/);
    expect(instructionText({})).toBeUndefined();
    expect(instructionText({ system_prompt: null })).toBeUndefined();
  });

  it('the turns before, oldest first; nothing when there are none', () => {
    const told = historyText([
      { role: 'system', text: 'Four words were said.' },
      { role: 'agent', text: 'hello' },
    ]);
    expect(told?.turns).toBe(2);
    expect(told?.text).toMatch(/\n\nsystem: Four words were said\.\n\nagent: hello$/);
    expect(historyText([])).toBeUndefined();
  });
});

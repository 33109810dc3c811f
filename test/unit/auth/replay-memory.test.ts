import { describe, expect, it } from 'vitest';
import { ReplayMemory } from '#auth/oauth/replay-memory.ts';

describe('the memory of used proofs', () => {
  const at = (start: number) => {
    let now = start;
    const clock = { now: () => now };
    const pass = (ms: number) => {
      now += ms;
    };
    return { clock, pass };
  };

  it('knows each until its end, and room is made by those that ended', () => {
    const { clock, pass } = at(1_000);
    const memory = new ReplayMemory(clock, 2);
    expect(memory.use('a', 1_100)).toBe('first');
    expect(memory.use('a', 1_100)).toBe('again');
    expect(memory.use('b', 1_200)).toBe('first');
    pass(150);
    expect(memory.use('c', 1_300)).toBe('first');
    expect(memory.use('b', 1_200)).toBe('again');
  });

  it('refuses when it is full, and forgets nothing for it', () => {
    const { clock } = at(1_000);
    const memory = new ReplayMemory(clock, 2);
    memory.use('a', 2_000);
    memory.use('b', 2_000);
    expect(memory.use('c', 2_000)).toBe('full');
    expect([memory.use('a', 2_000), memory.use('b', 2_000)]).toEqual(['again', 'again']);
  });

  it('still knows one when the clock goes back', () => {
    const { clock, pass } = at(1_000);
    const memory = new ReplayMemory(clock, 2);
    memory.use('a', 1_100);
    pass(-500);
    expect(memory.use('a', 1_100)).toBe('again');
  });
});

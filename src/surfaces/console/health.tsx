import { Badge } from '@mantine/core';
import type { Schemas } from './data.tsx';

type Agent = Schemas['Agent'];

/** Whether an agent takes work, in a colour and in words: a halt before its circuit, and that before its card. */
export function healthOf({ halt_id, circuit, card_state, fallback, name }: Agent): {
  color: 'green' | 'yellow' | 'red';
  words: string;
} {
  if (halt_id !== null) return { color: 'red', words: 'halted' };
  if (circuit?.state === 'open') {
    const until = circuit.until === null ? '' : ` until ${circuit.until.slice(11, 19)} UTC`;
    const instead = fallback === null ? '' : `; ${fallback} takes its tasks`;
    return { color: 'red', words: `gets nothing${until}, after ${circuit.failures} failures${instead}` };
  }
  if (circuit?.state === 'half_open') return { color: 'yellow', words: 'is tried with one task' };
  if (card_state === 'missing') return { color: 'red', words: 'never answered' };
  if (card_state === 'kept') return { color: 'yellow', words: 'does not answer; its last card is kept' };
  // What has no card says who it is when it is connected to.
  if (name === null) return { color: 'yellow', words: 'not started yet' };
  return { color: 'green', words: 'takes work' };
}

export function Health({ of }: { of: Agent }) {
  const { color, words } = healthOf(of);
  return (
    <Badge color={color} variant="light" tt="none">
      {words}
    </Badge>
  );
}

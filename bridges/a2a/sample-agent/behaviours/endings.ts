import type { Behaviour } from '../steps.ts';

/** `refuse`: the task is rejected before any work. */
export const refuse: Behaviour = function* () {
  yield { do: 'status', state: 'rejected', text: 'I do not take this task.' };
};

/** `fail`: the task fails while working. */
export const fail: Behaviour = function* () {
  yield { do: 'status', state: 'working' };
  yield { do: 'status', state: 'failed', text: 'It failed, as you asked.' };
};

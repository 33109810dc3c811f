import type { Behaviour, Step, Turn } from '../steps.ts';

/** `ask`: the task waits for input; the next message to it is the answer. */
export const ask: Behaviour = function* () {
  yield { do: 'status', state: 'working' };
  yield { do: 'status', state: 'input-required', text: 'What is your favourite colour?' };
};

/** `login`: the task waits for authorization; the next message to it says that it was given. */
export const login: Behaviour = function* () {
  yield { do: 'status', state: 'working' };
  yield { do: 'status', state: 'auth-required', text: 'Please sign in, then send any message to go on.' };
};

/** Continues a task that `ask` left waiting. */
export const takeAnswer: Behaviour = (turn: Turn) => finish('Thank you.', `You answered: ${turn.text}`);

/** Continues a task that `login` left waiting. What the message says is not looked at. */
export const takeLogin: Behaviour = () => finish('You are signed in.', 'Signed in and done.');

function* finish(status: string, text: string): Generator<Step> {
  yield { do: 'status', state: 'working', text: status };
  yield {
    do: 'artifact',
    artifactId: 'answer',
    name: 'answer',
    contents: [{ text }],
    append: false,
    lastChunk: true,
  };
  yield { do: 'status', state: 'completed' };
}

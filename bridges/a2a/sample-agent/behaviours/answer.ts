import type { Behaviour } from '../steps.ts';

/** Any text without a command word: it is repeated and counted, as one artifact of one task. */
export const answer: Behaviour = function* (turn) {
  const words = turn.text.split(/\s+/).filter((word) => word !== '');
  const said = turn.text === '' ? 'Your message has no text.' : `You said: ${turn.text}`;
  yield { do: 'status', state: 'working', text: 'Reading your message.' };
  yield {
    do: 'artifact',
    artifactId: 'answer',
    name: 'answer',
    contents: [{ text: `${said}\n(${words.length} words, ${[...turn.text].length} characters)` }],
    append: false,
    lastChunk: true,
  };
  yield { do: 'status', state: 'completed', text: 'Done.' };
};

/** A greeting is answered with a message and makes no task. */
export const greet: Behaviour = function* () {
  yield {
    do: 'message',
    text: 'Hello, I am the sample agent. Try: stream 3, ask, login, slow 5, file, refuse, fail.',
  };
};

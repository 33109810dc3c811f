import { answer, greet } from './behaviours/answer.ts';
import { fail, refuse } from './behaviours/endings.ts';
import { file } from './behaviours/file.ts';
import { ask, login, takeAnswer, takeLogin } from './behaviours/interrupts.ts';
import { slow } from './behaviours/slow.ts';
import { stream } from './behaviours/stream.ts';
import type { Behaviour, Step, Turn } from './steps.ts';

/** A behaviour and how the card describes it. */
export interface BehaviourRow {
  /** Command words that choose it; none for the one that takes everything else. */
  readonly words: readonly string[];
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples: readonly string[];
  readonly behaviour: Behaviour;
}

const ECHO: BehaviourRow = {
  words: [],
  id: 'echo',
  name: 'Echo',
  description: 'Any other text: repeats it and counts its words, as a task with one artifact.',
  tags: ['text', 'task'],
  examples: ['The quick brown fox'],
  behaviour: answer,
};

/** The whole agent: the first word of a message chooses the row. */
export const BEHAVIOURS: readonly BehaviourRow[] = [
  ECHO,
  {
    words: ['hello', 'message'],
    id: 'hello',
    name: 'Greeting',
    description: 'hello: answers with a message and makes no task.',
    tags: ['text', 'message'],
    examples: ['hello'],
    behaviour: greet,
  },
  {
    words: ['stream'],
    id: 'stream',
    name: 'Streaming',
    description: 'stream N [MS]: one artifact in N chunks, MS milliseconds apart.',
    tags: ['streaming', 'artifact'],
    examples: ['stream 3', 'stream 5 200'],
    behaviour: stream,
  },
  {
    words: ['file'],
    id: 'file',
    name: 'File and data',
    description: 'file: an artifact with a CSV file and a structured value.',
    tags: ['file', 'data', 'artifact'],
    examples: ['file'],
    behaviour: file,
  },
  {
    words: ['ask'],
    id: 'ask',
    name: 'Question',
    description: 'ask: asks a question and completes with your next message to the task.',
    tags: ['input-required'],
    examples: ['ask'],
    behaviour: ask,
  },
  {
    words: ['login'],
    id: 'login',
    name: 'Sign-in',
    description: 'login: wants authorization and goes on with your next message to the task.',
    tags: ['auth-required'],
    examples: ['login'],
    behaviour: login,
  },
  {
    words: ['slow'],
    id: 'slow',
    name: 'Slow work',
    description: 'slow SECONDS: works that long, reports progress and can be canceled.',
    tags: ['progress', 'cancel'],
    examples: ['slow 10'],
    behaviour: slow,
  },
  {
    words: ['refuse'],
    id: 'refuse',
    name: 'Refusal',
    description: 'refuse: the task is rejected.',
    tags: ['rejected'],
    examples: ['refuse'],
    behaviour: refuse,
  },
  {
    words: ['fail'],
    id: 'fail',
    name: 'Failure',
    description: 'fail: the task fails with a message.',
    tags: ['failed'],
    examples: ['fail'],
    behaviour: fail,
  },
];

const CONTINUATIONS = { input: takeAnswer, auth: takeLogin } as const satisfies Record<string, Behaviour>;

/** Splits a message into its command word and the rest. */
export function turnOf(text: string, awaited?: Turn['awaited']): Turn {
  const trimmed = text.trim();
  const turn = { text: trimmed, rest: trimmed.slice(commandWord(trimmed).length).trim() };
  return awaited === undefined ? turn : { ...turn, awaited };
}

/** The steps that answer a turn: a waiting task goes on, else the first word decides, in any case of letters. */
export function stepsFor(turn: Turn): Iterable<Step> {
  if (turn.awaited !== undefined) return CONTINUATIONS[turn.awaited](turn);
  const word = commandWord(turn.text).toLowerCase();
  const row = BEHAVIOURS.find((candidate) => candidate.words.includes(word)) ?? ECHO;
  return row.behaviour(turn);
}

function commandWord(text: string): string {
  return /^[a-z]+/i.exec(text)?.[0] ?? '';
}

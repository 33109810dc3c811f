import { setImmediate, setTimeout } from 'node:timers/promises';

/** One thing the agent does in a turn, free of any A2A version's spelling: the executor puts it on the wire. */
export type Step =
  /** How the task stands when the turn begins: A2A wants to see that first. `stepsFor` puts it there. */
  | { readonly do: 'task'; readonly state: State; readonly text?: string }
  | { readonly do: 'status'; readonly state: State; readonly text?: string }
  | ArtifactStep
  /** A direct answer that makes no task. Nothing may follow it. */
  | { readonly do: 'message'; readonly text: string }
  | { readonly do: 'pause'; readonly ms: number };

/** A step that is seen outside. */
export type PlayedStep = Exclude<Step, { do: 'pause' }>;

/** States that a behaviour announces; canceling is the executor's alone. */
export type State =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'rejected'
  | 'failed';

/** A whole artifact (`append` false, `lastChunk` true) or one chunk of it. */
export interface ArtifactStep {
  readonly do: 'artifact';
  readonly artifactId: string;
  readonly contents: readonly Content[];
  readonly append: boolean;
  readonly lastChunk: boolean;
}

export type Content =
  | { readonly text: string }
  | { readonly bytes: Uint8Array; readonly mediaType: string; readonly filename: string }
  | { readonly data: Readonly<Record<string, unknown>> };

/** What a waiting task waits for. */
export type Awaited = 'input' | 'auth';

/** Gets the text of the message, and what stands after its first word. */
type Behaviour = (text: string, rest: string) => Iterable<Step>;

/** Each behaviour by the word that a message begins with; any other text is repeated. card.json describes them. */
export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  *hello() {
    yield {
      do: 'message',
      text: 'Hello, I am the sample agent. Try: stream 3, ask, login, slow 5, file, refuse, fail.',
    };
  },

  *stream(_text, rest) {
    const [count, pause] = rest.split(/\s+/);
    const chunks = Math.trunc(numberIn(count, 1, MAX_CHUNKS, 3));
    const ms = numberIn(pause, 0, MAX_SECONDS * 1000, 0);
    yield { do: 'status', state: 'working', text: `Streaming ${chunks} chunks.` };
    for (let n = 1; n <= chunks; n += 1) {
      if (ms > 0) yield { do: 'pause', ms };
      const contents = [{ text: `chunk ${n} of ${chunks}\n` }];
      yield { do: 'artifact', artifactId: 'stream', contents, append: n > 1, lastChunk: n === chunks };
    }
    yield { do: 'status', state: 'completed' };
  },

  *file() {
    const csv = new TextEncoder().encode('city,visitors\nVienna,12\nLisbon,30\n');
    yield { do: 'status', state: 'working', text: 'Writing a report.' };
    yield wholeArtifact(
      'report',
      { bytes: csv, mediaType: 'text/csv', filename: 'report.csv' },
      { data: { rows: 2, columns: ['city', 'visitors'], total: 42 } },
    );
    yield { do: 'status', state: 'completed' };
  },

  *ask() {
    yield { do: 'status', state: 'working' };
    yield { do: 'status', state: 'input-required', text: 'What is your favourite colour?' };
  },

  *login() {
    yield { do: 'status', state: 'working' };
    yield { do: 'status', state: 'auth-required', text: 'Please sign in, then send any message to go on.' };
  },

  *slow(_text, rest) {
    const seconds = numberIn(rest, 0, MAX_SECONDS, 5);
    // About one a second; two at least, so that even a fraction of a second shows progress.
    const reports = Math.max(2, Math.ceil(seconds));
    yield { do: 'status', state: 'working', text: `This takes ${seconds} s.` };
    for (let n = 1; n <= reports; n += 1) {
      yield { do: 'pause', ms: (seconds * 1000) / reports };
      yield { do: 'status', state: 'working', text: `Step ${n} of ${reports} done.` };
    }
    yield wholeArtifact('answer', { text: `Worked for ${seconds} s.` });
    yield { do: 'status', state: 'completed' };
  },

  *refuse() {
    yield { do: 'status', state: 'rejected', text: 'I do not take this task.' };
  },

  *fail() {
    yield { do: 'status', state: 'working' };
    yield { do: 'status', state: 'failed', text: 'It failed, as you asked.' };
  },
};

/** The SDK's store copies the whole task for each chunk, so its cost grows with the square of this number. */
const MAX_CHUNKS = 2000;
/** One hour: long enough for any demonstration, short enough to end. */
const MAX_SECONDS = 3600;

/** What the agent does with a message. A task that waits goes on with it; else its first word decides, in any case of letters. */
export function stepsFor(message: string, awaited: Awaited | undefined): Iterable<Step> {
  const text = message.trim();
  if (awaited === 'input') return opened(goOn('Thank you.', `You answered: ${text}`));
  if (awaited === 'auth') return opened(goOn('You are signed in.', 'Signed in and done.'));
  const word = /^[a-z]+/i.exec(text)?.[0] ?? '';
  const name = word.toLowerCase();
  const behaviour = (Object.hasOwn(BEHAVIOURS, name) && BEHAVIOURS[name]) || echo;
  return opened(behaviour(text, text.slice(word.length).trim()));
}

/** The task is first seen working when the behaviour begins by working, else submitted; an answer without a task shows none. */
function* opened(steps: Iterable<Step>): Iterable<Step> {
  let isFirst = true;
  for (const step of steps) {
    if (isFirst && step.do === 'status' && step.state === 'working') {
      yield { ...step, do: 'task' };
    } else {
      if (isFirst && step.do !== 'message') yield { do: 'task', state: 'submitted' };
      yield step;
    }
    isFirst = false;
  }
}

/** The steps, each at its time. Ends early when the turn is canceled: it says nothing after that. */
export async function* played(steps: Iterable<Step>, signal: AbortSignal): AsyncGenerator<PlayedStep> {
  try {
    for (const step of steps) {
      if (step.do === 'pause') {
        await setTimeout(step.ms, undefined, { signal });
      } else {
        // One round of the event loop per step, so that a cancel can come in between.
        await setImmediate(undefined, { signal });
        yield step;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function* echo(text: string): Iterable<Step> {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const said = text === '' ? 'Your message has no text.' : `You said: ${text}`;
  yield { do: 'status', state: 'working', text: 'Reading your message.' };
  yield wholeArtifact('answer', { text: `${said}\n(${words.length} words, ${[...text].length} characters)` });
  yield { do: 'status', state: 'completed', text: 'Done.' };
}

function* goOn(status: string, answer: string): Iterable<Step> {
  yield { do: 'status', state: 'working', text: status };
  yield wholeArtifact('answer', { text: answer });
  yield { do: 'status', state: 'completed' };
}

function wholeArtifact(artifactId: string, ...contents: Content[]): ArtifactStep {
  return { do: 'artifact', artifactId, contents, append: false, lastChunk: true };
}

function numberIn(word: string | undefined, low: number, high: number, fallback: number): number {
  const value = Number.parseFloat(word ?? '');
  return Number.isNaN(value) ? fallback : Math.min(high, Math.max(low, value));
}

import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Json, said, text } from './conformance-mcp-content.ts';

/** What a tool asks for, by key. */
const elicit = (message: string, name: string, type = 'string') => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] },
  },
});
const sample = (question: string, maxTokens: number) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(question) }], maxTokens },
});
const ROOTS = { method: 'roots/list', params: {} };

/** What the seal of the state says: how far the call has come. */
export interface Round {
  round: number;
}

export type Mint = (state: Round, context: ServerContext) => Promise<string>;

type Answers = Readonly<Record<string, Json>>;

/** A call that asks before it ends: rounds of questions, then what it says. */
interface Asking {
  rounds: readonly Readonly<Record<string, object>>[];
  /** With a sealed state that has to come back as it was. */
  isSealed: boolean;
  end(answers: Answers): object;
}

const contentOf = (answers: Answers, key: string): Json => (answers[key]?.['content'] ?? {}) as Json;

export const ASKING: Readonly<Record<string, Asking>> = {
  test_input_required_result_elicitation: {
    rounds: [{ user_name: elicit('What is your name?', 'name') }],
    isSealed: false,
    end: (answers) => said(text(`Hello, ${contentOf(answers, 'user_name')['name']}!`)),
  },
  test_input_required_result_sampling: {
    rounds: [{ capital_question: sample('What is the capital of France?', 100) }],
    isSealed: false,
    end: (answers) => said(text(JSON.stringify(answers['capital_question']?.['content']))),
  },
  test_input_required_result_list_roots: {
    rounds: [{ client_roots: ROOTS }],
    isSealed: false,
    end: (answers) => said(text(JSON.stringify(answers['client_roots']?.['roots']))),
  },
  test_input_required_result_request_state: {
    rounds: [{ confirm: elicit('Please confirm', 'ok', 'boolean') }],
    isSealed: true,
    end: () => said(text('state-ok')),
  },
  test_input_required_result_multiple_inputs: {
    rounds: [
      {
        user_name: elicit('What is your name?', 'name'),
        greeting: sample('Generate a greeting', 50),
        client_roots: ROOTS,
      },
    ],
    isSealed: true,
    end: (answers) => said(text(`Answered: ${Object.keys(answers).join(', ')}`)),
  },
  test_input_required_result_multi_round: {
    rounds: [
      { step1: elicit('Step 1: What is your name?', 'name') },
      { step2: elicit('Step 2: What is your favorite color?', 'color') },
    ],
    isSealed: true,
    end: (answers) => said(text(`Color: ${contentOf(answers, 'step2')['color']}`)),
  },
  test_input_required_result_tampered_state: {
    rounds: [{ confirm: elicit('Please confirm', 'ok', 'boolean') }],
    isSealed: true,
    end: () => said(text('The state came back whole.')),
  },
  test_input_required_result_capabilities: {
    rounds: [{ name: elicit('What is your name?', 'name'), poem: sample('Write a poem', 50) }],
    isSealed: false,
    end: () => said(text('Thank you.')),
  },
  test_streaming_elicitation: {
    rounds: [{ anything: elicit('Anything to add?', 'text') }],
    isSealed: false,
    end: () => said(text('Noted.')),
  },
};

export const ASKING_PROMPT: Asking = {
  rounds: [{ user_context: elicit('What context should the prompt use?', 'context') }],
  isSealed: false,
  end: (answers) => ({
    messages: [{ role: 'user', content: text(`Context: ${contentOf(answers, 'user_context')['context']}`) }],
  }),
};

const NEEDED: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** Asks for what is missing of the round that the call is in, as far as the client can be asked; else ends it. */
export async function answerAsking(asking: Asking, context: ServerContext, mint: Mint): Promise<object> {
  const { mcpReq } = context;
  const answers = (mcpReq.inputResponses ?? {}) as Answers;
  const round = asking.isSealed ? (mcpReq.requestState<Round>()?.round ?? 0) : 0;
  const asked = asking.rounds[round] ?? {};
  const isAnswered = Object.keys(asked).every((key) => isUsable(answers[key]));
  const next = isAnswered ? round + 1 : round;
  const questions = asking.rounds[next];
  if (questions === undefined) return asking.end(answers);
  const envelope = mcpReq.envelope as Json | undefined;
  const capabilities = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Json;
  const possible = Object.entries(questions).filter(([, question]) => {
    const { method } = question as { method: string };
    return (NEEDED[method] ?? '') in capabilities;
  });
  return inputRequired({
    inputRequests: Object.fromEntries(possible.length === 0 ? Object.entries(questions) : possible) as never,
    ...(asking.isSealed ? { requestState: await mint({ round: next }, context) } : {}),
  });
}

function isUsable(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && !Array.isArray(answer);
}

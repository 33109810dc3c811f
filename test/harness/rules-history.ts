import type { Task } from '#resources/task/schema.ts';
import { agentMessage, artifactFrame, statusFrame, task, taskFrame } from './a2a-words.ts';
import type { TestClient } from './client.ts';
import { result, type Script, stream } from './peers/script.ts';
import { startScriptedAgent } from './peers/scripted-agent.ts';
import { cards } from './peers/scripted-cards.ts';

const asks = { status: { state: 'TASK_STATE_INPUT_REQUIRED', message: agentMessage('which?') } };

/** Agents whose frames mean other things under other numbers of the rules (src/protocol/rules.ts), by the id of their route. */
const AGENTS = {
  /** Its stream of an answer begins with the Task as it stood when it asked; an answer that it gets again it takes at once. */
  standing: {
    card: cards.v1,
    script: {
      SendStreamingMessage: [
        stream(taskFrame('WORKING'), statusFrame('INPUT_REQUIRED', 'which?')),
        stream(
          { result: { task: task('INPUT_REQUIRED', asks) } },
          artifactFrame('blue it is', false, true),
          statusFrame('COMPLETED', 'done'),
        ),
        stream(taskFrame('WORKING'), statusFrame('COMPLETED', 'done')),
      ],
    },
  },
  /** It answers at once, in a state that is in no table, and ends in one that is. */
  paused: {
    card: cards.v1Blocking,
    script: {
      SendMessage: result({ task: task('PAUSED') }),
      GetTask: [result(task('WORKING')), result(task('COMPLETED', { history: [agentMessage('done')] }))],
    },
  },
} as const satisfies Record<string, { card: (origin: string) => unknown; script: Script }>;

export type RulesRun = keyof typeof AGENTS;
export const RULES_RUNS = Object.keys(AGENTS) as RulesRun[];

/** Starts the agents; `rows` is the section `upstreams.a2a` for them. */
export async function startRulesAgents() {
  const peers = await Promise.all(
    RULES_RUNS.map(async (id) => {
      const { card, script } = AGENTS[id];
      return [id, await startScriptedAgent(script, { card })] as const;
    }),
  );
  return {
    rows: peers.map(([id, { cardUrl }]) => ({ id, card: cardUrl })),
    close: async () => {
      for (const [, peer] of peers) await peer.close();
    },
  };
}

/** Plays a run to its end, answering whatever is asked. */
export async function playRulesRun(client: TestClient, run: RulesRun): Promise<Task> {
  const { id } = await client.submit('hello', undefined, { route: `a2a:${run}` });
  for (;;) {
    const task = await client.until(id, 'INPUT_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELED');
    if (task.status !== 'INPUT_REQUIRED') return task;
    await client.answer(id, 'blue');
  }
}

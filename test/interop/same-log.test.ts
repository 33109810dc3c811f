import { describe, expect, it } from 'vitest';
import { stageOf } from '../conformance/stage.ts';
import { BY_FORM, BY_MESSAGE, type Tell } from './faces.ts';
import { comparable, type Story } from './same-story.ts';

const PLAIN: readonly Story[] = [
  { title: 'any text', turns: ['The quick brown fox'] },
  { title: 'many chunks', turns: ['stream 25'] },
  { title: 'a file and data', turns: ['file'] },
  { title: 'a refusal', turns: ['refuse'] },
  { title: 'a failure', turns: ['fail'] },
];
const QUESTION: Story = { title: 'a question', turns: ['ask', 'blue'] };
const CANCELED: Story = { title: 'slow work that is canceled', turns: ['slow 60'], isCanceled: true };

describe('one story through every face', () => {
  const stage = stageOf({});

  /** The log of the Task, as far as it has to be the same. */
  async function logOf(tell: Tell, story: Story): Promise<unknown[]> {
    const id = await tell(stage.gateway, story);
    return comparable(await stage.client.events(`/v1/tasks/${id}/events`), 'a2a:sample');
  }

  it.each(PLAIN)(
    '[S9-08] $title gives the same log over REST, WebSocket, A2A, ACP and MCP',
    async (story) => {
      const { REST: rest = fail, ...others } = { ...BY_FORM, ...BY_MESSAGE };
      const expected = await logOf(rest, story);
      for (const [face, tell] of Object.entries(others)) {
        expect(await logOf(tell, story), face).toEqual(expected);
      }
    },
  );

  it.each([
    ['a message', BY_MESSAGE],
    ['a form', BY_FORM],
  ])(
    '[S9-08] a question that is answered by %s gives the same log over each face that has it',
    async (_, faces) => {
      const { REST: rest = fail, ...others } = faces;
      const expected = await logOf(rest, QUESTION);
      expect(JSON.stringify(expected)).toContain('blue');
      for (const [face, tell] of Object.entries(others)) {
        expect(await logOf(tell, QUESTION), face).toEqual(expected);
      }
    },
  );

  it('a cancel gives the same end over each face', async () => {
    // How far the agent got before the cancel came is its own business.
    const endOf = async (tell: Tell) => {
      const events = (await logOf(tell, CANCELED)) as { event: string }[];
      return events.slice(events.findIndex(({ event }) => event === 'user.cancel_requested'));
    };
    const { REST: rest = fail, ...others } = BY_MESSAGE;
    const expected = await endOf(rest);
    expect(expected.map(({ event }) => event)).toContain('task.canceled');
    for (const [face, tell] of Object.entries(others)) expect(await endOf(tell), face).toEqual(expected);
  });
});

function fail(): never {
  throw new Error('no such face');
}

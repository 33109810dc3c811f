import type { Task } from '#resources/task/schema.ts';
import type { TestClient, TestEvent } from '../harness/client.ts';
import { EventStreamClient } from '../harness/event-stream.ts';

/** What a person says to an agent, in turns: each is sent once the task waits. */
export interface Story {
  title: string;
  turns: readonly string[];
  /** Cancel once the agent works. */
  isCanceled?: boolean;
}

/** Plays a story over REST and follows it over SSE; returns the log of its session. */
export async function play(client: TestClient, route: string, story: Story): Promise<TestEvent[]> {
  const session = await client.session({ route });
  const stream = await EventStreamClient.open(client, `/v1/sessions/${session.id}/events/stream`);
  const [first = '', ...answers] = story.turns;
  const task = await client.submit(first, session.id);
  for (const answer of answers) {
    await client.until(task.id, 'INPUT_REQUIRED', 'AUTH_REQUIRED');
    await client.answer(task.id, answer);
  }
  if (story.isCanceled) {
    await stream.untilEvent('agent.message');
    await client.post<Task>(`/v1/tasks/${task.id}/cancel`);
  }
  await client.until(task.id, 'COMPLETED', 'FAILED', 'CANCELED');
  await client.post(`/v1/sessions/${session.id}/close`);
  await stream.ended;
  return stream.events;
}

/**
 * Members whose values are ids, times, actors or words of the upstream's protocol, or hashes and places of receipts, which
 * cover all of these.
 */
const DROPPED =
  /(^|_)id$|_at$|^(actor|metadata|material|route|binding|session_binding|uri|preceding|pending|(previous_)?receipt_hash|log_index)$/;

/** A log as far as it has to be the same whoever the upstream is. */
export function comparable(events: readonly TestEvent[], route: string): unknown[] {
  return events.map((event) => stripped(event, route));
}

function stripped(value: unknown, route: string): unknown {
  if (typeof value === 'string') return value.replaceAll(route, '<route>');
  if (Array.isArray(value)) return value.map((item) => stripped(item, route));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !DROPPED.test(name));
  return Object.fromEntries(members.map(([name, member]) => [name, stripped(member, route)]));
}

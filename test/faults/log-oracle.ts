import { TASK_STATUSES } from '#protocol/task-states.ts';
import type { Task } from '#resources/task/schema.ts';
import type { TestClient, TestEvent } from '../harness/client.ts';
import type { Journal } from './journal.ts';
import type { Report } from './report.ts';

const TERMINAL_EVENTS = ['task.completed', 'task.failed', 'task.canceled'];
const PAGE = 200;

/** Reads tasks in parallel, but not all at once. */
async function forEachOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += PAGE) await Promise.all(items.slice(at, at + PAGE).map(act));
}

/** Everything acknowledged is there: tasks in a state of the contract, canceled ones canceled, messages, sessions. */
export async function checkAcknowledged(client: TestClient, journal: Journal, report: Report): Promise<void> {
  await forEachOf(journal.acknowledged('task_'), async (id) => {
    const { status, body } = await client.call<Task>('GET', `/v1/tasks/${id}`);
    report.check(status === 200 && TASK_STATUSES.includes(body.status), () => `lost task ${id}: ${status}`);
  });
  await forEachOf(journal.acknowledged('message_'), async (id) => {
    const { status } = await client.call('GET', `/v1/messages/${id}`);
    report.check(status === 200, () => `lost message ${id}: ${status}`);
  });
  await forEachOf(journal.acknowledged('session_'), async (id) => {
    const { status } = await client.call('GET', `/v1/sessions/${id}`);
    report.check(status === 200, () => `lost session ${id}: ${status}`);
  });
  const canceled = journal.entries.filter(
    ({ path, answer }) => path.endsWith('/cancel') && answer?.status === 200,
  );
  await forEachOf(canceled, async ({ answer }) => {
    const task = await client.get<Task>(`/v1/tasks/${answer?.id}`);
    report.check(task.status === 'CANCELED', () => `canceled task ${task.id} is ${task.status}`);
  });
  report.count('acknowledged writes looked up', journal.entries.filter(({ answer }) => answer).length);
}

/** Events that must name a receipt, by the persona of their task; without one only the end has a receipt. */
function isProved(event: string, policy: string | undefined): boolean {
  return event === 'task.submitted' ? policy === 'required' : policy !== 'disabled';
}

/**
 * The whole log is in order: ids rise, sequences are 1..n and linked per resource, no task ends twice or changes after its
 * end, every task's resource says what its last event says, and no Idempotency-Key made two tasks.
 */
export async function checkLog(client: TestClient, report: Report): Promise<TestEvent[]> {
  const events = await client.events('/v1/events');
  const last = new Map<string, TestEvent>();
  const ended = new Map<string, string>();
  const submitted = new Map<string, string>();
  const receipts = new Set<string>();
  let previous = '';
  for (const event of events) {
    const name = `${event.resource.object} ${event.resource.id}`;
    const before = last.get(name);
    report.check(event.id > previous, () => `event ${event.id} follows ${previous}`);
    report.check(
      event.sequence === (before?.sequence ?? 0) + 1,
      () => `${name}: sequence ${event.sequence} after ${before?.sequence ?? 0} at ${event.id}`,
    );
    report.check(
      event['previous_event_id'] === (before?.id ?? null),
      () => `${name}: ${event.id} names ${event['previous_event_id']} as its previous event`,
    );
    // An erasure takes the words of an event, and the resource that they are of.
    const isErased = 'erased' in event.payload;
    if (TERMINAL_EVENTS.includes(event.event) && !isErased) {
      const earlier = ended.get(event.resource.id);
      report.check(earlier === undefined, () => `${name} ended as ${earlier}, then as ${event.event}`);
      ended.set(event.resource.id, event.event);
    }
    if (event.event === 'receipt.issued') receipts.add(String(event.payload['receipt_id']));
    if (event.event === 'task.submitted' && !isErased) checkKey(event, submitted, report);
    last.set(name, event);
    previous = event.id;
  }
  report.count('events checked', events.length);
  await checkEnds(client, ended, report);
  const policies = new Map<string, string | undefined>();
  for (const { event, receipt_id, id, resource, payload } of events) {
    if (event === 'task.submitted') policies.set(resource.id, policyOf(payload));
    else if (!TERMINAL_EVENTS.includes(event) || 'erased' in payload) continue;
    const isRight = isProved(event, policies.get(resource.id))
      ? receipts.has(String(receipt_id))
      : (receipt_id ?? null) === null;
    report.check(isRight, () => `${event} ${id} has no receipt, or one against its persona`);
  }
  return events;
}

function policyOf(payload: TestEvent['payload']): string | undefined {
  return (payload['persona'] as { receipt_policy?: string } | undefined)?.receipt_policy;
}

function checkKey(event: TestEvent, submitted: Map<string, string>, report: Report): void {
  const task = event.payload['task'] as Task;
  const key = task.metadata['journal_key'];
  if (typeof key !== 'string') return;
  const earlier = submitted.get(key);
  report.check(earlier === undefined, () => `key ${key} made ${earlier} and ${task.id}`);
  submitted.set(key, task.id);
}

async function checkEnds(client: TestClient, ended: Map<string, string>, report: Report): Promise<void> {
  await forEachOf([...ended], async ([id, event]) => {
    const { status, outcome_id } = await client.get<Task>(`/v1/tasks/${id}`);
    report.check(
      `task.${status.toLowerCase()}` === event,
      () => `${id} is ${status}, its last event ${event}`,
    );
    const outcome = await client.get<{ status: string }>(`/v1/outcomes/${outcome_id}`);
    const expected = status === 'COMPLETED' ? 'SUCCEEDED' : status;
    report.check(outcome.status === expected, () => `${id} is ${status}, its outcome ${outcome.status}`);
  });
}

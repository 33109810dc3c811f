import type { Event, StateReader, StateWriter } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isTerminal } from '#protocol/task-states.ts';
import { payload } from '#resources/payload.ts';
import { type RunFact, type RunFacts, type RunPageState, type TaskState, taskKeys } from './state.ts';

/** Facts that stay in the state of the Task: more of them would be written again with every event of a long run. */
const PAGE_FACTS = 32;

/** Adds to what the receipt of a task will say. After the end nothing is added: the receipt is issued. */
export function addRunFact(event: Event, states: StateWriter, fact: RunFact): void {
  if (event.task_id === null) return;
  const key = taskKeys.task(event.task_id);
  if (isEnded(states, key)) return;
  const state = states.draft<TaskState>(key);
  if (!state) return;
  const { resource, internal } = state;
  const before: RunFacts = internal.run ?? { pages: 0, newest: [] };
  const { pages } = before;
  const facts = [...before.newest, fact];
  const isFull = facts.length === PAGE_FACTS;
  if (isFull) states.set(taskKeys.runPage(resource.id, pages), { facts } satisfies RunPageState);
  const paged = isFull ? { pages: pages + 1, newest: [] } : { pages, newest: facts };
  internal.run = { ...before, ...paged };
}

/** Nothing is added to a run after its end. */
export function isEnded(states: StateReader, taskKey: string): boolean {
  const status = states.get<TaskState>(taskKey)?.resource.status;
  return status !== undefined && isTerminal(status);
}

/** Everything noted of a run, oldest first. */
export function runFactsOf(states: StateReader, { resource, internal }: TaskState): RunFact[] {
  const { pages, newest } = internal.run ?? { pages: 0, newest: [] };
  const facts: RunFact[] = [];
  for (let page = 0; page < pages; page += 1)
    facts.push(...(states.get<RunPageState>(taskKeys.runPage(resource.id, page))?.facts ?? []));
  return [...facts, ...newest];
}

/** Forgets the facts of a run whose receipt is issued; the state is a draft. */
export function forgetRunFacts(states: StateWriter, { resource, internal }: TaskState): void {
  for (let page = 0; page < (internal.run?.pages ?? 0); page += 1)
    states.set(taskKeys.runPage(resource.id, page), undefined);
  delete internal.run;
}

export function foldToolRequested(event: Event, states: StateWriter): void {
  const { tool_call_id, name, input_sha256, withheld } = payload(event, 'tool.requested');
  if (withheld) return;
  addRunFact(event, states, {
    kind: 'tool_called',
    call_id: tool_call_id,
    tool: name,
    input_hash: input_sha256,
  });
}

export function foldToolCompleted(event: Event, states: StateWriter): void {
  const { tool_call_id, output_sha256 } = payload(event, 'tool.completed');
  addRunFact(event, states, {
    kind: 'tool_ended',
    call_id: tool_call_id,
    status: 'succeeded',
    output_hash: output_sha256,
  });
}

export function foldToolFailed(event: Event, states: StateWriter): void {
  const { tool_call_id, output_sha256 } = payload(event, 'tool.failed');
  const output = output_sha256 === undefined ? {} : { output_hash: output_sha256 };
  addRunFact(event, states, { kind: 'tool_ended', call_id: tool_call_id, status: 'failed', ...output });
}

export function foldPolicyDecided(event: Event, states: StateWriter): void {
  const { effect, rule, route, skill_id } = payload(event, 'vendor.harn_gateway.policy_decided');
  const action = skill_id ?? route;
  addRunFact(event, states, { kind: 'policy', effect, rule, action, at: event.created_at });
}

/** The agent took the model that the Session wishes for. */
export function foldModelPolicy(event: Event, states: StateWriter, details: JsonObject): void {
  const { provider, model, unmet } = details;
  if (typeof provider !== 'string' || typeof model !== 'string') return;
  if (Array.isArray(unmet) && !unmet.includes('model'))
    addRunFact(event, states, { kind: 'model_policy', provider, model });
}

export function foldFileWritten(event: Event, states: StateWriter): void {
  const { path, sha256 } = payload(event, 'vendor.harn_gateway.file_written');
  addRunFact(event, states, { kind: 'file_written', path, sha256 });
}

import { type Action, json, type Script, type ScriptedCall, type ScriptedReply, stream } from './script.ts';
import { type ScriptedAgentOptions, type ScriptedPeer, startScriptedAgent } from './scripted-agent.ts';
import { cards } from './scripted-cards.ts';

export interface HarnServeOptions extends ScriptedAgentOptions {
  /** How stream frames tell what they are: `type: "status"` (default) or a member `statusUpdate`. */
  readonly frames?: 'type' | 'member';
}

interface HarnTask {
  readonly id: string;
  readonly contextId: string;
  status: { state: string; message?: object };
  readonly history: object[];
}

/**
 * The dialect of `harn serve a2a`: 0.3 method names, lower-case states with `cancelled`, tasks
 * without kind, messages with `id`, parts with `type`, stream frames with a null JSON-RPC id. Text is echoed; `ask`
 * waits for input, `fail` fails, `slow` works until it is canceled.
 */
export function startHarnServeAgent(options: HarnServeOptions = {}): Promise<ScriptedPeer> {
  const tasks = new Map<string, HarnTask>();
  const frames = options.frames ?? 'type';
  const script: Script = {
    'message/send': (call) => {
      const task = taskFor(call, tasks);
      task.status = outcomeOf(textOf(call));
      return rpc(call, task);
    },
    'message/stream': (call) => streamed(taskFor(call, tasks), textOf(call), frames),
    'tasks/get': (call) => withTask(call, tasks, (task) => task),
    'tasks/cancel': (call) =>
      withTask(call, tasks, (task) => {
        task.status = { state: 'cancelled' };
        return task;
      }),
  };
  return startScriptedAgent(script, { card: cards.harnServe, ...options });
}

/** Streaming keeps the stored task in step, so that `tasks/get` after a lost stream tells the truth. */
function streamed(task: HarnTask, text: string, frames: 'type' | 'member'): ScriptedReply {
  const frame = (): Action => ({ frame: { jsonrpc: '2.0', id: null, result: statusFrame(task, frames) } });
  task.status = { state: 'working' };
  const working = frame();
  if (text === 'slow') return stream(working, { hang: true });
  task.status = outcomeOf(text);
  return stream(working, frame());
}

function statusFrame(task: HarnTask, frames: 'type' | 'member'): object {
  const update = { taskId: task.id, contextId: task.contextId, status: { ...task.status } };
  return frames === 'type' ? { type: 'status', ...update } : { statusUpdate: update };
}

function outcomeOf(text: string): HarnTask['status'] {
  if (text === 'slow') return { state: 'working' };
  if (text === 'ask') return { state: 'input-required', message: agentMessage('Which one?') };
  if (text === 'fail') return { state: 'failed', message: agentMessage('It failed.') };
  return { state: 'completed', message: agentMessage(`harn says: ${text}`) };
}

function agentMessage(text: string): object {
  return { id: `harn-${text.length}-${text.slice(0, 8)}`, role: 'agent', parts: [{ type: 'text', text }] };
}

interface SendParams {
  readonly message?: {
    readonly taskId?: string;
    readonly contextId?: string;
    readonly parts?: readonly { readonly text?: string }[];
  };
}

function taskFor(call: ScriptedCall, tasks: Map<string, HarnTask>): HarnTask {
  const message = (call.params as SendParams).message ?? {};
  const known = tasks.get(message.taskId ?? '');
  const number = tasks.size + 1;
  const contextId = message.contextId ?? `harn-context-${number}`;
  const task = known ?? { id: `harn-task-${number}`, contextId, status: { state: 'submitted' }, history: [] };
  task.history.push(message);
  tasks.set(task.id, task);
  return task;
}

function textOf(call: ScriptedCall): string {
  const parts = (call.params as SendParams).message?.parts ?? [];
  return parts.map((part) => part.text ?? '').join('');
}

function withTask(
  call: ScriptedCall,
  tasks: Map<string, HarnTask>,
  use: (task: HarnTask) => HarnTask,
): ScriptedReply {
  const task = tasks.get((call.params as { id?: string }).id ?? '');
  if (task !== undefined) return rpc(call, use(task));
  return json({ jsonrpc: '2.0', id: call.id, error: { code: -32001, message: 'Task not found' } });
}

function rpc(call: ScriptedCall, task: HarnTask): ScriptedReply {
  return json({ jsonrpc: '2.0', id: call.id, result: task });
}

import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import { AcpClient } from './acp-client.ts';
import type { RecordedLine } from './recorded-frames.ts';

const ASKING = 'session/request_permission';

interface TurnEnd {
  taskId: string;
  status: string;
}

/** The person at an editor who did, while a recording was made, what made the gateway send its half of it. */
export class RecordedTalk {
  /** The tasks that the prompts became, and how they ended. */
  readonly ends: TurnEnd[] = [];
  sessionId = '';
  editor!: AcpClient;
  readonly #lines: readonly RecordedLine[];
  readonly #stopped: () => Promise<unknown>;
  #turn: Promise<unknown> = Promise.resolve();

  /** `stopped` resolves when the process that plays the recording is gone. */
  constructor(lines: readonly RecordedLine[], stopped: () => Promise<unknown>) {
    this.#lines = lines;
    this.#stopped = stopped;
  }

  /** Does it all again, in a new session of this route. */
  async play(url: string, key: string, route: string): Promise<this> {
    const permission = (request: RequestPermissionRequest) => this.#decide(request);
    this.editor = await AcpClient.overSocket(url, key, { permission });
    this.sessionId = (await this.editor.session({ route })).sessionId;
    for (const [at, line] of this.#lines.entries()) {
      if (line.to === 'agent') await this.#again(line.message, at);
      if (line.to === 'end') await this.#turn.then(this.#stopped);
    }
    await this.#turn;
    return this;
  }

  /** What the agent sent of this method up to a line. */
  said(method: string, before = this.#lines.length): JsonObject[] {
    return this.#lines
      .slice(0, before)
      .flatMap((line) => (line.to === 'gateway' && line.message['method'] === method ? [line.message] : []));
  }

  /**
   * The updates of the agent that somebody is told of. What comes before the first prompt of a session waits for it, what comes
   * between a cancel and its answer may be told to nobody, and what is loaded is in the log already.
   */
  updates(): JsonObject[] {
    const told: JsonObject[] = [];
    let waiting: JsonObject[] = [];
    let asked: JsonObject = {};
    let isPrompted = false;
    let isCanceled = false;
    for (const line of this.#lines) {
      if (line.to === 'end') {
        waiting = [];
        isPrompted = false;
        continue;
      }
      const { method, id, params } = line.message;
      if (line.to === 'agent' && method !== undefined && id !== undefined) asked = line.message;
      if (line.to === 'agent' && method === 'session/prompt') {
        told.push(...waiting);
        waiting = [];
        isPrompted = true;
      }
      if (line.to === 'agent' && method === 'session/cancel') isCanceled = true;
      const isAnswer = line.to === 'gateway' && method === undefined && id === asked['id'];
      if (isAnswer && asked['method'] === 'session/prompt') isCanceled = false;
      if (method !== 'session/update' || isCanceled || asked['method'] === 'session/load') continue;
      (isPrompted ? told : waiting).push(objectOf(objectOf(params)['update']));
    }
    return told;
  }

  async #again({ method, params }: JsonObject, at: number): Promise<void> {
    const { editor, sessionId } = this;
    const { modeId, modelId, configId, value, prompt } = objectOf(params);
    if (
      method === 'session/set_mode' ||
      method === 'session/set_model' ||
      method === 'session/set_config_option'
    )
      await this.#turn;
    if (method === 'session/set_mode') {
      await editor.agent.request('session/set_mode', { sessionId, modeId: String(modeId) });
    }
    if (method === 'session/set_model' || method === 'session/set_config_option') {
      const option = { configId: String(configId ?? 'model'), value: String(modelId ?? value) };
      await editor.agent.request('session/set_config_option', { sessionId, ...option });
    }
    if (method === 'session/prompt') {
      await this.#turn;
      this.#turn = this.#prompted(textOf(objectsOf(prompt).at(-1)?.['text']) ?? '');
    }
    if (method === 'session/cancel') {
      await editor.until(() => this.#hasShown(at));
      await editor.cancel(sessionId);
    }
  }

  async #prompted(text: string): Promise<void> {
    const answer = await this.editor.prompt(this.sessionId, text).then(
      ({ _meta }) => objectOf(_meta as JsonObject)['harn'],
      ({ data }: { data: JsonObject }) => data['harn'],
    );
    this.ends.push(objectOf(answer) as unknown as TurnEnd);
  }

  /** Whether the editor shows what the agent had sent up to this line. */
  #hasShown(at: number): boolean {
    const said = this.said('session/update', at).filter(({ params }) => isSeen(kindOf(objectOf(params))));
    return (
      this.editor.kinds().filter(isSeen).length >= said.length &&
      this.editor.permissions.length >= this.said(ASKING, at).length
    );
  }

  /** The answer that was given then; who cancelled instead gave none, and what the gateway itself asks is refused. */
  #decide({ options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const asked = this.said(ASKING)[this.editor.permissions.length - 1];
    const answers = this.#lines.flatMap((line) => (line.to === 'agent' ? [line.message] : []));
    const answer = answers.find(({ id, method }) => method === undefined && id === asked?.['id']);
    const given = textOf(objectOf(objectOf(answer?.['result'])['outcome'])['optionId']);
    const refusal = options.find(({ kind }) => kind === 'reject_once')?.optionId;
    const optionId = asked === undefined ? refusal : given;
    if (optionId === undefined) return new Promise(() => undefined);
    return Promise.resolve({ outcome: { outcome: 'selected', optionId } });
  }
}

function kindOf(params: JsonObject): string {
  return textOf(objectOf(params['update'])['sessionUpdate']) ?? '';
}

/** What says that the agent works: its words, and the title that Codex gives its session first. */
function isSeen(kind: string): boolean {
  return kind === 'agent_message_chunk' || kind === 'session_info_update';
}

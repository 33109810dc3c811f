import { pathToFileURL } from 'node:url';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf } from '#protocol/json-shape.ts';
import type { PermissionAnswer } from '#protocol-client.ts';
import { MCP_ERRORS } from '../../../mappings/mcp/errors.ts';
import { RpcError } from '../../wire/json-rpc.ts';
import { FIXED_LIMITS } from './config.ts';
import type { CallFacts, McpRecord } from './record.ts';
import type { SchemaChecks } from './schema-check.ts';

export interface QuestionContext {
  facts: CallFacts;
  roots: readonly string[];
  /** Where the server's questions reach the caller. */
  isInteractive: boolean;
  /** Whether the caller is asked for what a model would write. */
  maySample: boolean;
  checks: SchemaChecks;
  /** What was answered to a question of this id before, possibly before the gateway was restarted. */
  given(requestId: string): PermissionAnswer | undefined;
  push(record: McpRecord): void;
}

/** What a server asks during one call, and who answers it. */
export class CallQuestions {
  readonly #context: QuestionContext;
  readonly #waiting = new Map<string, (answer: PermissionAnswer | undefined) => void>();
  #asked = 0;
  #isOver = false;

  constructor(context: QuestionContext) {
    this.#context = context;
  }

  /** Hands over the answer to a question; false when none of that id waits. */
  answer(answer: PermissionAnswer): boolean {
    const resolve = this.#waiting.get(answer.upstreamId);
    this.#waiting.delete(answer.upstreamId);
    resolve?.(answer);
    return resolve !== undefined;
  }

  /** Nobody answers any more. */
  leave(): void {
    this.#isOver = true;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  /**
   * Answers one request of the server. `name` distinguishes it from all others of the call, also after a restart; default: its
   * number. Rejects with an RpcError to refuse.
   */
  async ask(method: string, params: JsonObject, name?: string): Promise<JsonObject> {
    const { isInteractive, maySample, roots } = this.#context;
    if (method === 'elicitation/create' && isInteractive) return this.#elicit(params, name);
    if (method === 'sampling/createMessage' && maySample) return this.#sample(params, name);
    if (method === 'roots/list' && roots.length > 0) {
      return { roots: roots.map((root) => ({ uri: pathToFileURL(root).href })) };
    }
    this.#decline(method, 'not_offered');
    throw new RpcError(MCP_ERRORS.method_not_found, `This client does not offer ${method}.`);
  }

  /** A page without which the tool cannot be called; it is shown also where a server may ask nothing in the midst of a call. */
  openPage(params: JsonObject, name: string): Promise<JsonObject> {
    return this.#elicit(params, name);
  }

  async #elicit(params: JsonObject, name: string | undefined): Promise<JsonObject> {
    const schema = objectOf(params['requestedSchema']);
    if (secretMembers(schema).length > 0) {
      this.#decline('elicitation/create', 'asks_for_a_secret');
      return { action: 'decline' };
    }
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#ask(
        params,
        attempt === 1 || name === undefined ? name : `${name}/${attempt}`,
      );
      if (answer === undefined) return { action: 'cancel' };
      const result = elicitResult(answer, schema);
      if (result['action'] !== 'accept' || params['mode'] === 'url') return withoutContent(result, params);
      const fault = this.#context.checks.of(schema)?.(objectOf(result['content']));
      if (fault === undefined) return result;
      const asked = typeof params['message'] === 'string' ? params['message'] : '';
      const why = `${fault.path === '' ? 'The answer' : fault.path}: ${fault.message}.`;
      params = { ...params, message: `${why} ${asked}` };
    }
  }

  /** The caller writes, or lets a model write; a refusal is sent to the server as the error of the specification. */
  async #sample(params: JsonObject, name: string | undefined): Promise<JsonObject> {
    const answer = await this.#ask(samplingForm(params), name);
    const result = answer === undefined ? undefined : samplingResult(answer);
    if (result !== undefined) return result;
    throw new RpcError(MCP_ERRORS.sampling_rejected, 'The request for a model was rejected.');
  }

  /** Undefined when nobody answers any more. */
  #ask(params: JsonObject, name: string | undefined): Promise<PermissionAnswer | undefined> {
    this.#asked += 1;
    const request_id = `${this.#context.facts.call_id}/${name ?? this.#asked}`;
    const given = this.#context.given(request_id);
    if (given !== undefined) return Promise.resolve(given);
    if (this.#asked > FIXED_LIMITS.questionsPerCall || this.#isOver) return Promise.resolve(undefined);
    const answered = new Promise<PermissionAnswer | undefined>((resolve) => {
      this.#waiting.set(request_id, resolve);
    });
    this.#context.push({ ...this.#context.facts, type: 'asked', request_id, params });
    return answered;
  }

  #decline(method: string, reason: string): void {
    this.#context.push({ ...this.#context.facts, type: 'declined', method, reason });
  }
}

function withoutContent(result: JsonObject, { mode }: JsonObject): JsonObject {
  return mode === 'url' && result['action'] === 'accept' ? { action: 'accept' } : result;
}

/** Why an answer came that nobody gave: the form was put aside, not refused. */
const PUT_ASIDE = ['timeout', 'canceled', 'task_canceled', 'task_failed'];

/**
 * The ElicitResult of an answer: an object is the content, or says action and content itself; a text is JSON, or the value
 * of the only member that is asked for. Spec: MCP 2025-11-25, "Elicitation".
 */
function elicitResult(answer: PermissionAnswer, schema: JsonObject): JsonObject {
  const given = objectOf(answer.answer);
  const { action } = given;
  if (action === 'accept' || action === 'decline' || action === 'cancel') {
    return action === 'accept' ? { action, content: objectOf(given['content']) } : { action };
  }
  if (!answer.approved) return { action: PUT_ASIDE.includes(answer.reason ?? '') ? 'cancel' : 'decline' };
  return { action: 'accept', content: contentOf(answer.answer, schema) };
}

function contentOf(answer: JsonValue | undefined, schema: JsonObject): JsonObject {
  const given = objectOf(answer);
  const text = typeof answer === 'string' ? answer : soleText(given);
  if (text === undefined) return given;
  const parsed = parsedObject(text);
  if (parsed !== undefined) return parsed;
  const properties = objectOf(schema['properties']);
  const [name, ...more] = Object.keys(properties);
  return name === undefined || more.length > 0
    ? {}
    : { [name]: typedValue(text, objectOf(properties[name])) };
}

/** `{text}`, or parts of which one is text or JSON. */
function soleText(given: JsonObject): string | undefined {
  const { text, parts } = given;
  if (typeof text === 'string' && Object.keys(given).length === 1) return text;
  const [part] = Array.isArray(parts) ? parts : [];
  const found = objectOf(part);
  if (typeof found['text'] === 'string') return found['text'];
  return found['type'] === 'json' ? JSON.stringify(found['value']) : undefined;
}

function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function typedValue(text: string, { type }: JsonObject): JsonValue {
  if (type === 'boolean') return /^(true|yes)$/i.test(text.trim());
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  return text;
}

const SECRET_NAME = /pass(word|wd|phrase)|secret|token|api_?key|credential|private_?key/i;

/** Members of a form that ask for a secret, which a form must not. Spec: MCP 2025-11-25, "Elicitation", Security. */
function secretMembers(schema: JsonObject): string[] {
  return Object.keys(objectOf(schema['properties'])).filter((name) => SECRET_NAME.test(name));
}

/** What stands for a model that nobody named. */
const UNNAMED = 'unnamed';

const FORM: JsonObject = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'What the model answers.' },
    model: { type: 'string', description: 'The model that wrote it.' },
  },
  required: ['text'],
};

/**
 * A server's request for a model as a question with a form: the caller, who may have a model, writes the answer. The
 * request itself is kept beside it. Spec: MCP 2025-11-25, "Sampling".
 */
function samplingForm(params: JsonObject): JsonObject {
  const { messages, systemPrompt } = params;
  const said = Array.isArray(messages) ? messages.map(lineOf).filter((line) => line !== '') : [];
  const system = typeof systemPrompt === 'string' ? [`system: ${systemPrompt}`] : [];
  const message = ['The tool asks for what a model would answer.', ...system, ...said].join('\n');
  return { message, requestedSchema: FORM, sampling: params };
}

function lineOf(message: unknown): string {
  const { role, content } = objectOf(message);
  const blocks = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((block) => {
    const { text, type } = objectOf(block);
    return typeof text === 'string' ? [text] : [`(${String(type)})`];
  });
  return texts.length === 0 ? '' : `${String(role)}: ${texts.join('\n')}`;
}

/** The CreateMessageResult of an answer; undefined when it was refused, or says nothing. */
function samplingResult(answer: PermissionAnswer): JsonObject | undefined {
  const { action, content } = elicitResult(answer, FORM_OF_TEXT);
  const { text, model } = objectOf(content);
  if (action !== 'accept' || typeof text !== 'string') return undefined;
  const written = typeof model === 'string' && model !== '' ? model : UNNAMED;
  return { role: 'assistant', content: { type: 'text', text }, model: written, stopReason: 'endTurn' };
}

/** A plain text answers the only question that must be answered. */
const FORM_OF_TEXT: JsonObject = { type: 'object', properties: { text: { type: 'string' } } };

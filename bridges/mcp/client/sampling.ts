import type { JsonObject } from '#protocol/json.ts';
import type { PermissionAnswer } from '#upstream.ts';
import { objectOf } from '../object-of.ts';
import { elicitResult } from './answers.ts';

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
export function samplingForm(params: JsonObject): JsonObject {
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
export function samplingResult(answer: PermissionAnswer): JsonObject | undefined {
  const { action, content } = elicitResult(answer, FORM_OF_TEXT);
  const { text, model } = objectOf(content);
  if (action !== 'accept' || typeof text !== 'string') return undefined;
  const written = typeof model === 'string' && model !== '' ? model : UNNAMED;
  return { role: 'assistant', content: { type: 'text', text }, model: written, stopReason: 'endTurn' };
}

/** A plain text answers the only question that must be answered. */
const FORM_OF_TEXT: JsonObject = { type: 'object', properties: { text: { type: 'string' } } };

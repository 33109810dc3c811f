import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { recordedLines } from '../recorded-frames.ts';

/**
 * Says what a real agent once said, and holds the gateway to its half of the recording: what it sends is what it sent then,
 * in that order, but for the numbers of its requests. `recorded-agent.js FILE STATE`; STATE keeps how far the process before
 * came, and STATE.ended is there when it is gone. Something else ends it with code 3 and both messages on standard error.
 */
const [file = '', state = ''] = process.argv.slice(2);
const lines = recordedLines(file);
/** Numbers of the gateway's requests, by those in the recording. */
const ids = new Map<JsonValue | undefined, JsonValue | undefined>();
let at = existsSync(state) ? Number(readFileSync(state, 'utf8')) : 0;

function say(): void {
  let text = '';
  for (let line = lines[at]; line?.to === 'gateway'; line = lines[at]) {
    const { id, ...message } = line.message;
    const isAnswer = message['method'] === undefined;
    const named = id === undefined ? {} : { id: (isAnswer ? ids.get(id) : id) ?? null };
    text += `${JSON.stringify({ ...message, ...named })}\n`;
    at += 1;
  }
  // In one piece, as fast agents do.
  process.stdout.write(text);
  writeFileSync(state, String(lines[at]?.to === 'end' ? at + 1 : at));
}

/** What the gateway says of itself changes with its version, and each turn has a trace of its own. */
function essence({ jsonrpc: _, id, ...message }: JsonObject): JsonObject {
  const { method, params } = message;
  if (method === undefined) return { id: id ?? null, ...message };
  if (method === 'initialize') return { method };
  if (!isObject(params) || !isObject(params['_meta'])) return message;
  const { _meta, ...named } = params;
  const { traceparent, ...meta } = _meta as JsonObject;
  if (traceparent === undefined) return message;
  return { ...message, params: Object.keys(meta).length === 0 ? named : { ...named, _meta: meta } };
}

function hear(message: JsonObject): void {
  const line = lines[at];
  const expected = line?.to === 'agent' ? line.message : undefined;
  if (expected === undefined || !isDeepStrictEqual(essence(message), essence(expected))) {
    process.stderr.write(`line ${at + 1}: ${JSON.stringify(expected)} became ${JSON.stringify(message)}\n`);
    process.exit(3);
  }
  ids.set(expected['id'], message['id']);
  at += 1;
  say();
}

say();
for await (const line of createInterface({ input: process.stdin })) hear(JSON.parse(line) as JsonObject);
writeFileSync(`${state}.ended`, '');

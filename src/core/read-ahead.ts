import { type Sliced, type SlicedWork, spelledAhead } from '#json/large-json.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf, objectsOf } from '#protocol/json-shape.ts';

/**
 * Does what a transaction will want of a large value in slices before it, as a transaction is one turn of the event loop. Resolves
 * with what lets go of what was found; rejects with `client_closed_request` when the signal is aborted before the end.
 */
export type ReadAhead = (value: JsonValue, signal?: AbortSignal) => Promise<() => void>;

interface Reader {
  readAhead(value: JsonValue): Sliced<() => void>;
}

export function readerAhead(work: SlicedWork, redactor: Reader): ReadAhead {
  return (value, signal) => work.run(read(value, redactor), signal);
}

function* read(value: JsonValue, redactor: Reader): Sliced<() => void> {
  const body = objectOf(value);
  // What is kept apart is the text of the JSON.
  for (const json of [body['content'], ...partsIn(body).map((part) => part['value'])])
    if (typeof json === 'object' && json !== null) yield* spelledAhead(json);
  return yield* redactor.readAhead(value);
}

/** Of the Messages that a body may have. */
function partsIn({ input, message, answer, initial_messages: drafts }: JsonObject): JsonObject[] {
  return [input, message, answer, ...objectsOf(drafts)].flatMap((each) => objectsOf(objectOf(each)['parts']));
}

import type { StreamFrame } from '#gateway.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import type { Part } from '#resources/message/schema.ts';
import type { OutEvent } from '../../../mappings/acp/events-out.ts';
import { inlinedFrom, inlinedPart } from '../../wire/gateway-calls.ts';

/** Reads the content of an Artifact of at most this many bytes; undefined where the client may not, or where it is not there. */
export type ReadContent = (artifactId: string, maxBytes: number) => Promise<Buffer | undefined>;

const MARKS = ['"large_metadata"', '"inlined_from"'];

/** True for an event that may have less than what was said. */
export function mayBeCut({ bytes }: Pick<StreamFrame, 'bytes'>): boolean {
  return MARKS.some((mark) => bytes.includes(mark));
}

/**
 * Events as they were before the log moved their large parts to Artifacts, as it does with content above one configured size. As far
 * as the client may read those and all of one event fits into one message; what does not stays a reference.
 */
export class WholeEvents {
  readonly #read: ReadContent;
  readonly #maxBytes: number;

  constructor(read: ReadContent, maxBytes: number) {
    this.#read = read;
    this.#maxBytes = maxBytes;
  }

  async event(event: OutEvent): Promise<OutEvent> {
    const { payload } = event;
    const room = new Room(this.#read, this.#maxBytes);
    const { update, message, changes, details, permission_request: request } = payload;
    const whole: JsonObject = { ...payload };
    if (isObject(update)) whole['update'] = { ...update, body: await members(update['body'], room) };
    if (isObject(message)) whole['message'] = { ...message, parts: await parts(message['parts'], room) };
    if (isObject(changes) && isObject(changes['metadata']))
      whole['changes'] = { ...changes, metadata: await sessionMetadata(changes['metadata'], room) };
    if (isObject(details)) whole['details'] = await members(details, room);
    if (isObject(request)) whole['permission_request'] = await asked(request, room);
    return { ...event, payload: whole };
  }

  /** Metadata of a Session: what its agent said of itself. */
  metadata(metadata: JsonObject): Promise<JsonObject> {
    return sessionMetadata(metadata, new Room(this.#read, this.#maxBytes));
  }

  /** A permission request with what the agent said of the call. */
  request<Request extends { metadata: JsonObject }>(request: Request): Promise<Request> {
    return asked(
      request as unknown as JsonObject,
      new Room(this.#read, this.#maxBytes),
    ) as Promise<unknown> as Promise<Request>;
  }
}

/** What is left of a message while its parts are read. */
class Room {
  readonly #read: ReadContent;
  #left: number;

  constructor(read: ReadContent, maxBytes: number) {
    this.#read = read;
    this.#left = maxBytes;
  }

  async bytes(artifactId: string): Promise<Buffer | undefined> {
    const bytes = await this.#read(artifactId, this.#left);
    this.#left -= bytes?.length ?? 0;
    return bytes;
  }

  /** What stands for a reference; undefined where it stays one. */
  async json(reference: JsonValue | undefined): Promise<JsonObject | undefined> {
    const id = textOf(objectOf(objectOf(reference)['large_metadata'])['artifact_id']);
    const bytes = id === undefined ? undefined : await this.bytes(id);
    return bytes === undefined ? undefined : objectOf(jsonIn(bytes));
  }
}

/** An agent may name an Artifact of any content. */
function jsonIn(bytes: Buffer): JsonValue {
  try {
    return JSON.parse(bytes.toString()) as JsonValue;
  } catch {
    return null;
  }
}

/** An object that was moved as a whole, or member by member: the content of a member is an object with it alone. */
async function members(value: JsonValue | undefined, room: Room): Promise<JsonObject> {
  const whole = (await room.json(value)) ?? objectOf(value);
  const found: JsonObject = {};
  for (const [name, member] of Object.entries(whole))
    found[name] = (await room.json(member))?.[name] ?? member;
  return found;
}

async function sessionMetadata(metadata: JsonObject, room: Room): Promise<JsonObject> {
  const { acp } = metadata;
  if (!isObject(acp)) return metadata;
  const whole: JsonObject = {};
  for (const [kind, body] of Object.entries(acp))
    whole[kind] = isObject(body) ? await members(body, room) : body;
  return { ...metadata, acp: whole };
}

async function parts(given: JsonValue | undefined, room: Room): Promise<JsonValue[]> {
  const whole: JsonValue[] = [];
  for (const value of objectsOf(given)) {
    const part = value as unknown as Part;
    const isMoved = part.type === 'artifact_ref' && inlinedFrom(part) !== undefined;
    const bytes = isMoved ? await room.bytes(part.artifact_id) : undefined;
    whole.push(bytes === undefined ? value : asItWas(part, bytes));
  }
  return whole;
}

/** A Session that was imported may refer to an Artifact of other content; then it stays a reference. */
function asItWas(part: Part, bytes: Buffer): JsonObject {
  try {
    return inlinedPart(part, bytes) as unknown as JsonObject;
  } catch (error) {
    if (error instanceof SyntaxError) return part as unknown as JsonObject;
    throw error;
  }
}

async function asked(request: JsonObject, room: Room): Promise<JsonObject> {
  return { ...request, metadata: await members(request['metadata'], room) };
}

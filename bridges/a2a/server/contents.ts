import type { Call, Gateway } from '#gateway.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { DraftPart } from '#protocol-client.ts';
import type { Message, Part } from '#resources/message/schema.ts';
import type { Encoding } from '../../../mappings/a2a/encode-task.ts';
import type { InlineBytes } from '../../../mappings/a2a/message.ts';
import type { TaskView, Update, ViewArtifact } from '../../../mappings/a2a/task-view.ts';
import { inlinedPart, wholeOf } from '../../wire/gateway-calls.ts';
import { isHidden } from './faults.ts';

/** What has to be read before something can be encoded. */
export interface Wanted {
  messages: Message[];
  artifacts: ViewArtifact[];
}

export type Found = Pick<Encoding, 'bytes' | 'parts'>;

export const NOTHING: Found = { bytes: new Map(), parts: new Map() };

export function wantedByUpdate(update: Update): Wanted {
  if (update.type === 'artifact') return { messages: [], artifacts: [update.artifact] };
  const message = update.type === 'status' ? update.status.message : undefined;
  return { messages: message === undefined ? [] : [message], artifacts: [] };
}

export function wantedByTask(view: TaskView): Wanted {
  const { message } = view.status;
  return {
    messages: message === undefined ? view.history : [...view.history, message],
    artifacts: [...view.artifacts.values()],
  };
}

/** True when everything is in the events already, which is nearly always so. */
export function isAtHand({ messages, artifacts }: Wanted): boolean {
  return (
    !messages.some(({ parts }) => parts.some(refersTo)) &&
    !artifacts.some(({ parts }) => parts.some(isDescribed))
  );
}

/** Reads bytes of messages and large parts of artifacts; what the caller may not read is left out. */
export async function readContents(gateway: Gateway, call: () => Call, wanted: Wanted): Promise<Found> {
  const bytes = new Map<string, InlineBytes>();
  const parts = new Map<string, DraftPart>();
  for (const { artifactId, piece } of wanted.artifacts.flatMap((artifact) =>
    artifact.parts.filter(isDescribed),
  )) {
    const query = { form: 'parts', first_piece: String(piece), pieces: '1' };
    const read = await download(gateway, { ...call(), path: { artifact_id: artifactId }, query });
    const [part] = read === undefined ? [] : (JSON.parse(read.bytes.toString()) as (DraftPart | null)[]);
    if (part) parts.set(`${artifactId}/${piece}`, part);
  }
  for (const id of new Set(
    wanted.messages.flatMap(({ parts: all }) => all.flatMap((part) => refersTo(part) ?? [])),
  )) {
    const read = await download(gateway, { ...call(), path: { artifact_id: id } });
    if (read !== undefined) bytes.set(id, read);
  }
  return { bytes, parts };
}

/** Parts that the gateway moved out of a message because they were large stand in it again. */
export function restored(message: Message, { bytes }: Pick<Found, 'bytes'>): Message {
  return { ...message, parts: message.parts.map((part) => restoredPart(part, bytes)) };
}

function restoredPart(part: Part, bytes: Found['bytes']): Part {
  const stored = part.type === 'artifact_ref' ? bytes.get(part.artifact_id) : undefined;
  return stored === undefined ? part : inlinedPart(part, stored.bytes);
}

function refersTo(part: Part): string | undefined {
  return part.type === 'artifact_ref' || part.type === 'image_ref' ? part.artifact_id : undefined;
}

function isDescribed({ part }: { part: JsonObject }): boolean {
  return part['type'] === 'described';
}

async function download(gateway: Gateway, call: Call): Promise<InlineBytes | undefined> {
  try {
    const { body } = await gateway.call('downloadArtifactContent', call);
    if (body.kind !== 'bytes') return undefined;
    const named = body.fileName === call.path['artifact_id'] ? {} : { name: body.fileName };
    return { bytes: await wholeOf(body.chunks), mimeType: body.mimeType, ...named };
  } catch (error) {
    if (isHidden(error)) return undefined;
    throw error;
  }
}

/** True for content that has a member of this name; used by those that look into JSON parts. */
export function jsonOf(part: Part): JsonObject | undefined {
  return part.type === 'json' && isObject(part.value) ? part.value : undefined;
}

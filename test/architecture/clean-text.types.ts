// Compiled by `npm run types` (config/tsconfig.check.json), never run: each expected error must stay an error.
import { newEvent, type Place } from '#core/new-event.ts';
import {
  asCleanObject,
  type Clean,
  type CleanObject,
  type CleanText,
  sentence,
  word,
} from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Part } from '#resources/message/schema.ts';

declare const plain: string;
declare const clean: CleanText;
declare const json: JsonObject;
declare const place: Place;
declare const pointer: { object: string; id: CleanText };

export const told = newEvent('user.cancel_requested', pointer, place, { reason: clean });
// @ts-expect-error A plain text is no content of an event.
newEvent('user.cancel_requested', pointer, place, { reason: plain });
// @ts-expect-error Nor is a text of the code, unless it says so.
newEvent('user.cancel_requested', pointer, place, { reason: 'because' });
// @ts-expect-error Nor plain JSON.
newEvent('vendor.harn_gateway.workspace_updated', pointer, place, { changes: json });
// @ts-expect-error Nor a place that somebody named.
newEvent('user.cancel_requested', pointer, { session_id: plain }, { reason: clean });
// @ts-expect-error Nor an id that somebody named.
newEvent('user.cancel_requested', { object: 'task', id: plain }, place, { reason: clean });

export const words: CleanObject = { note: word('late_result'), from: sentence`${clean} of ${1}` };
// @ts-expect-error A word of the code is no text that is known only when it runs.
word(plain);
// @ts-expect-error Nor a pattern of one.
word(`task_${plain}`);
// @ts-expect-error A sentence is about clean texts.
sentence`${plain} failed`;
// @ts-expect-error What is put together is to be read again.
export const joined: CleanText = clean + clean;
// @ts-expect-error Also where it is put together otherwise.
export const listed: CleanText = [clean, clean].join('');

export const part: Clean<Part> = { type: 'text', text: clean, visibility: 'public' };
// @ts-expect-error A clean shape has no plain text in it.
export const given: Clean<Part> = { type: 'text', text: plain, visibility: 'public' };
// @ts-expect-error Nor does an object that is made of one.
asCleanObject<Part>({ type: 'text', text: plain, visibility: 'public' });

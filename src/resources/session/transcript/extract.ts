import type { Message } from '#resources/message/schema.ts';
import { textOfParts } from './blocks.ts';

/** Turns of the beginning and of the end of what is archived that an extract quotes; those between are counted. */
export const QUOTED_FIRST = 8;
export const QUOTED_LAST = 24;
const TURN_CHARS = 240;
/** Characters of an earlier summary that a new extract begins with. */
const EARLIER_CHARS = 4_000;

export interface Archived {
  /** What an earlier compaction said of the turns before. */
  earlier: string | null;
  /** The first and the last archived turns, oldest first; at most QUOTED_FIRST and QUOTED_LAST. */
  first: readonly Message[];
  last: readonly Message[];
  /** Turns between them. */
  between: number;
}

/** A summary made without a model: the same turns give the same text. Only public text is quoted. */
export function extractSummary({ earlier, first, last, between }: Archived): string {
  return [
    ...(earlier === null ? [] : [clipped(earlier, EARLIER_CHARS)]),
    ...first.map(lineOf),
    ...(between === 0 ? [] : [`(${between} turns not quoted)`]),
    ...last.map(lineOf),
  ].join('\n');
}

function lineOf({ role, parts }: Message): string {
  const shown = parts.filter(({ visibility }) => visibility === 'public');
  const text = textOfParts(shown, (assetId) => assetId)
    .replace(/\s+/g, ' ')
    .trim();
  return `${role}: ${text === '' ? '(nothing public)' : clipped(text, TURN_CHARS)}`;
}

/** Never ends inside of a character. */
function clipped(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** How far retention came in the events of one workspace, or of all: a record of its own, beside the events. */
export interface CutRecord {
  through_event_id: string;
}

export function encodeCut(through_event_id: string): string {
  return JSON.stringify({ through_event_id } satisfies CutRecord);
}

/** The newest event that was removed. */
export function readCut(content: Buffer): string {
  const { through_event_id }: CutRecord = JSON.parse(content.toString('utf8'));
  return through_event_id;
}

import { createHash } from 'node:crypto';
import type { EventLog } from '#eventlog/event-log.ts';
import { artifactKeys } from '#resources/artifact/state.ts';
import type { ContentState } from '#resources/artifact/stored-content.ts';
import { contentPlaceOf, KEY_KINDS, keysUnder } from '#store/keys.ts';

export const sha256Of = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

/** What is stored of content, as `<scope>/<sha256>` with the number of its pieces and of the references to it. */
export async function storedContents(
  log: EventLog,
): Promise<Map<string, { pieces: number; references: number | undefined }>> {
  const found = new Map<string, { pieces: number; references: number | undefined }>();
  for (const key of await log.indexKeys({ ...keysUnder(KEY_KINDS.content.prefix), limit: 100_000 })) {
    const { scope = '', sha256 = '' } = contentPlaceOf(key) ?? {};
    const { pieces = 0 } = found.get(`${scope}/${sha256}`) ?? {};
    const references = log.state<ContentState>(artifactKeys.content(scope, sha256))?.references;
    found.set(`${scope}/${sha256}`, { pieces: pieces + 1, references });
  }
  return found;
}

/** The same of these bytes, in one Workspace; undefined where they are not stored. */
export async function storedIn(
  log: EventLog,
  bytes: Buffer | string,
  scope = 'workspace_default',
): Promise<{ pieces: number; references: number | undefined } | undefined> {
  return (await storedContents(log)).get(`${scope}/${sha256Of(bytes)}`);
}

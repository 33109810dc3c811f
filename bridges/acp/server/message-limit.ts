import type { FaceDeps } from '#face.ts';

const MIN_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The largest message of a client. A prompt holds files as base64; they become artifacts, which have a limit of their own. */
export function maxMessageBytes({ limits }: FaceDeps): number {
  return Math.max(limits.maxBodyBytes, MIN_MESSAGE_BYTES);
}

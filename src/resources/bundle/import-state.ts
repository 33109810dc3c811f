import type { JsonObject } from '#protocol/json.ts';
import type { SessionImported } from './events.ts';

/** How far the import of a Session has come. */
export interface ImportState {
  workspace_id: string;
  /** Events so far, and the id that the newest of them had where it was recorded. */
  events: number;
  newest_original: string;
  /** A JWKS document that the bundle brought. */
  signing_keys: JsonObject;
  /** What the import ended with; null while it is not whole. */
  done: SessionImported | null;
}

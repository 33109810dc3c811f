import type { CleanText } from '#protocol/clean.ts';
import type { BackupRequest } from './schema.ts';

/** Makes backups. */
export interface BackupTools {
  /**
   * Records that one begins, and returns its bytes. Rejects with ProtocolError: `invalid_request` for a recipient that is no public key,
   * `conflict` where nothing goes on behind `since` (details.reason), `service_unavailable` while the log takes no writes.
   */
  make(request: BackupRequest, by: { actor: CleanText; signal: AbortSignal }): Promise<AsyncIterable<Buffer>>;
}

/** What stands for a session that retention removed whole: no fold, but a record of its own. */
export interface Tombstone {
  session_id: string;
  workspace_id: string;
  created_at: string;
  /** Of its last event. */
  closed_at: string;
  removed_at: string;
  last_event_id: string | null;
  tasks: number;
  /** Places in the receipt log of the receipts that went; their leaves have the hashes. */
  receipts: number[];
  /** Hash of the newest receipt of its chain, `sha256:` and hex; null for none. */
  receipt_chain_head: string | null;
}

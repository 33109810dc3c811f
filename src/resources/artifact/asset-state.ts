/** What imports brought under one id: each Workspace has a copy of its own. */
export interface AssetState {
  /** Ids of the copies, by Workspace. */
  copies: Record<string, string>;
}

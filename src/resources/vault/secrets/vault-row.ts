export const VAULT_PROVIDERS = ['environment', 'file', 'encrypted_file'] as const;

/** Where the key of an encrypted vault is. */
export type KeyPlace = { env: string } | { file: string };

/** A vault as the operator configured it; paths are absolute. */
export interface VaultRow {
  id: string;
  /** Owning workspace; undefined: all workspaces of the tenant. */
  workspace?: string | undefined;
  tenant: string;
  provider: (typeof VAULT_PROVIDERS)[number];
  /** Of `environment`: begins the names of its variables. */
  prefix?: string | undefined;
  /** Of `file`: the directory with one file for each secret. */
  dir?: string | undefined;
  /** Of `encrypted_file`. */
  file?: string | undefined;
  key?: KeyPlace | undefined;
}

/** Names of secrets: files of a directory, ends of variables. None leads out of its vault. */
export const SECRET_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/** A secret that looks like ordinary words could not be kept out of the log either. */
export const MIN_SECRET_LENGTH = 8;

export interface VaultRef {
  vaultId: string;
  name: string;
}

/** Reads `shop/token` and `vault:shop/token`; undefined for what is neither. */
export function parseVaultRef(text: string): VaultRef | undefined {
  const [vaultId = '', name = '', ...rest] = text.replace(/^vault:/, '').split('/');
  const isRef = rest.length === 0 && /^[a-z0-9][a-z0-9_-]{0,62}$/.test(vaultId) && SECRET_NAME.test(name);
  return isRef ? { vaultId, name } : undefined;
}

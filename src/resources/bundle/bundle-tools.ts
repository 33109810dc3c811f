import type { Spool } from '#protocol/bytes.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { VerificationKeys } from '#receipts/verification-keys.ts';
import type { ManifestKey } from './document/manifest.ts';
import type { PieceRedactor } from './document/redact-bundle.ts';
import type { ValidationOptions } from './document/validate-bundle.ts';

/** What bundles are written and read with. */
export interface BundleTools {
  redactor: PieceRedactor;
  markers: ValidationOptions['markers'];
  /** Version of this gateway. */
  version: string;
  /** Issuer of the receipts of this gateway. */
  issuer: string;
  /** Where the part of an export lies that is too large to be held. */
  spool: Spool;
  /** The key that signs now. */
  key(): ManifestKey;
  /** Public keys of this gateway, as a JWKS document. */
  publicKeys(): JsonObject;
  /** The same to verify with. */
  verificationKeys(): VerificationKeys;
}

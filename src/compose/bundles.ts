import type { DecisionTools } from '#core/facts.ts';
import type { JsonObject } from '#protocol/json.ts';
import { SecretMarkers } from '#redaction/secret-markers.ts';
import type { BundleTools } from '#resources/bundle/bundle-tools.ts';
import type { OpenDirectory } from './open-data.ts';
import type { Parts } from './parts.ts';

/** What bundles are written and read with. */
export function bundleTools(
  { redactor, version }: Pick<Parts, 'redactor' | 'version'>,
  { keys, spool }: Pick<OpenDirectory, 'keys' | 'spool'>,
  { receipts }: Pick<DecisionTools, 'receipts'>,
): BundleTools {
  return {
    redactor,
    markers: new SecretMarkers(),
    version,
    issuer: receipts.issuer.id,
    spool,
    key: () => keys.current(),
    publicKeys: () => keys.publicJwks() as unknown as JsonObject,
    verificationKeys: () => keys.verificationKeys(),
  };
}

import type { BundleTools } from '../dispatch/bundles/bundle-tools.ts';
import type { DecisionTools } from '../dispatch/facts.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { KeyRegistry } from '../receipts/key-registry.ts';
import { SecretMarkers } from '../redaction/secret-markers.ts';
import type { Parts } from './parts.ts';

/** What bundles are written and read with. */
export function bundleTools(
  { redactor, version }: Pick<Parts, 'redactor' | 'version'>,
  keys: KeyRegistry,
  { receipts }: Pick<DecisionTools, 'receipts'>,
): BundleTools {
  return {
    redactor,
    markers: new SecretMarkers(),
    version,
    issuer: receipts.issuer.id,
    key: () => keys.current(),
    publicKeys: () => keys.publicJwks() as unknown as JsonObject,
    verificationKeys: () => keys.verificationKeys(),
  };
}

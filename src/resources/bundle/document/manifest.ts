import { z } from 'zod';
import { canonicalJson } from '#json/canonical.ts';
import type { JsonValue } from '#protocol/json.ts';
import { sha256 } from '#resources/receipt/parts-schema.ts';

/** Member of the metadata that holds the signed hashes. */
export const SIGNED_SECTIONS = 'manifest';

/** Hash of the RFC 8785 bytes of every top-level member, `metadata` without the manifest itself. */
export type Sections = Readonly<Record<string, string>>;

export const manifestSchema = z.object({
  algorithm: z.literal('ed25519'),
  key_id: z.string(),
  /** RFC 3339. */
  signed_at: z.string(),
  sections: z.record(z.string(), sha256),
  /** `base64:` over the RFC 8785 bytes of the manifest without this member. */
  signature: z.string().startsWith('base64:'),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** A key that signs; as of receipts. */
export interface ManifestKey {
  readonly keyId: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/** Signs the hashes of all sections, so that a receiver can verify that the bundle is whole and whose it is. */
export function signManifest(sections: Sections, key: ManifestKey, signedAt: string): Manifest {
  const content = { algorithm: 'ed25519' as const, key_id: key.keyId, signed_at: signedAt, sections };
  const signature = Buffer.from(key.sign(signedBytes(content))).toString('base64');
  return { ...content, signature: `base64:${signature}` };
}

/** What the signature of a manifest covers. */
export function signedBytes(content: Omit<Manifest, 'signature'>): Buffer {
  return Buffer.from(canonicalJson(content as unknown as JsonValue));
}

/** The first section that is not what the manifest says; undefined when all are. */
export function firstChanged(manifest: Manifest, observed: Sections): string | undefined {
  const names = new Set([...Object.keys(manifest.sections), ...Object.keys(observed)]);
  return [...names].sort().find((name) => manifest.sections[name] !== observed[name]);
}

import { BUNDLE_TYPE } from '../session-bundle-schema.ts';
import type { BundleFile } from './bundle-file.ts';
import { piecesOf } from './bundle-pieces.ts';

/** Members of the metadata that a verifier of receipts reads. */
const READ = ['receipts', 'signing_keys'] as const;

/**
 * What a verifier of receipts reads of a bundle, as the text of a bundle that has nothing else; undefined for what is no bundle.
 * The other parts are gone through and not kept. Throws ProtocolError `invalid_request` for what is no JSON.
 */
export function receiptsOfBundle(file: BundleFile): Buffer | undefined {
  const type = file.isObject(file.root) ? file.find('_type') : undefined;
  if (type === undefined || file.parse(type) !== BUNDLE_TYPE) return undefined;
  for (const _ of piecesOf(file));
  const members = READ.flatMap((name) => {
    const span = file.find('metadata', name);
    return span === undefined ? [] : [Buffer.from(`,"${name}":`), ...file.blocks(span)];
  });
  const head = Buffer.from(`{"_type":"${BUNDLE_TYPE}","metadata":{"of":"receipts"`);
  return Buffer.concat([head, ...members, Buffer.from('}}')]);
}

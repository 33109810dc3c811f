import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { BundleFile } from '#resources/bundle/document/bundle-file.ts';
import { receiptsOfBundle } from '#resources/bundle/document/bundle-receipts.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';

const receipts = Array.from({ length: 2_000 }, (_, at) => JSON.stringify({ receipt_id: `receipt_${at}` }));
const BUNDLE: JsonObject = {
  _type: 'harn_session_bundle',
  transcript: {
    sections: [{ messages: Array.from({ length: 20_000 }, (_, at) => ({ text: `turn ${at}` })) }],
  },
  metadata: { receipts, signing_keys: { keys: [] }, manifest: { key_id: 'k' }, other: 'x'.repeat(1_000) },
};

const partOf = (value: JsonValue | string) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return receiptsOfBundle(new BundleFile(inMemory(Buffer.from(text))));
};

describe('what a verifier of receipts reads of a bundle', () => {
  it.each([0, 2])('are its receipts and keys alone, however it is spelled (%i)', (indent) => {
    const part = JSON.parse(String(partOf(JSON.stringify(BUNDLE, null, indent))));
    expect(part).toEqual({
      _type: 'harn_session_bundle',
      metadata: { of: 'receipts', receipts, signing_keys: { keys: [] } },
    });
  });

  it('is nothing where it brings none', () => {
    for (const metadata of [{}, null, 'text'])
      expect(JSON.parse(String(partOf({ ...BUNDLE, metadata })))).toEqual({
        _type: 'harn_session_bundle',
        metadata: { of: 'receipts' },
      });
  });

  it('is undefined for what is no bundle', () => {
    for (const other of [[], 'text', { receipts }, { ...BUNDLE, _type: 'run_record' }])
      expect(partOf(JSON.stringify(other))).toBeUndefined();
  });

  it('is refused where the bundle is no good JSON, wherever that is', () => {
    const text = JSON.stringify(BUNDLE);
    for (const bad of [
      text.slice(0, -1),
      text.replace('"turn 19999"', '"turn 19999","text":"twice"'),
      text.replace('turn 19998', 'turn \\ud800'),
    ])
      expect(() => partOf(bad)).toThrow();
  });
});

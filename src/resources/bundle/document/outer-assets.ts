import { z } from 'zod';
import { sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { artifact } from '#resources/artifact/schema.ts';
import { transcriptAsset } from '#resources/session/transcript/schema.ts';
import type { BundleFile } from './bundle-file.ts';
import type { Steps } from './paced.ts';
import { asMembers, decoded } from './validate-bundle.ts';

const ASSETS = ['replay', 'run_record', 'transcript', 'assets'];
const ARTIFACTS = ['replay', 'run_record', 'artifacts'];

const description = transcriptAsset.extend({
  // Ids are names of stored content here.
  id: z.string().regex(/^artifact_[0-9A-Za-z]{1,64}$/, 'expected the id of an artifact'),
  kind: artifact.shape.kind,
});

const stored = z.looseObject({
  metadata: z.looseObject({ sha256: artifact.shape.sha256, size: z.int().min(0) }),
  text: z.string().nullable(),
  /** Text where it was withheld. */
  data: z.union([z.looseObject({ base64: z.string() }), z.string()]).nullable(),
});

/** What turns of a Session refer to, and was uploaded outside of it. */
export interface OuterAsset {
  id: string;
  kind: z.infer<typeof artifact>['kind'];
  mime_type: string;
  visibility: z.infer<typeof artifact>['visibility'];
  uri: string | null;
  created_at: string;
  metadata: JsonObject;
  name: string | null;
  /** Bare hex. */
  sha256: string | null;
  /** Bytes of content where it was recorded. */
  size: number;
  /** Whether nothing was to be added to it any more. */
  closed: boolean;
  /** Undefined where the content did not come along, or not all of it. */
  content: Buffer | undefined;
}

/**
 * Finds the assets of the transcript that no event of the bundle made (`made`: ids of those that one did). Each is read when it is
 * asked for, because its content may be large; that throws InvalidBundleError for one that is no asset.
 */
export function* outerAssets(file: BundleFile, made: ReadonlySet<string>): Steps<(() => OuterAsset)[]> {
  const descriptions = new Map<string, number>();
  for (const { id, index, bytes } of listed(file, ASSETS)) {
    if (!made.has(id)) descriptions.set(id, index);
    yield bytes;
  }
  const found: (() => OuterAsset)[] = [];
  for (const { id, index, bytes } of listed(file, ARTIFACTS)) {
    const described = descriptions.get(id);
    if (described !== undefined) found.push(() => readAsset(file, described, index));
    yield bytes;
  }
  return found;
}

function* listed(
  file: BundleFile,
  path: readonly string[],
): Generator<{ id: string; index: number; bytes: number }> {
  for (const { value, index, bytes } of file.values(file.find(...path), { isBrief: true })) {
    const { id } = asMembers(value);
    yield { index, bytes, id: typeof id === 'string' ? id : '' };
  }
}

function readAsset(file: BundleFile, described: number, kept: number): OuterAsset {
  const [shown, row] = [itemOf(file, ASSETS, described), itemOf(file, ARTIFACTS, kept)];
  const { storage, metadata, task_id, _type, ...asset } = decoded(description, shown.value, shown.where);
  const { text, data, metadata: recorded } = decoded(stored, row.value, row.where);
  const { sha256, size } = recorded;
  const base64 = typeof data === 'object' ? data?.base64 : undefined;
  const bytes = text === null ? base64 && Buffer.from(base64, 'base64') : Buffer.from(text);
  const content = bytes && sha256 === sha256Hex(bytes) ? bytes : undefined;
  const closed = storage.sha256 !== null;
  return { ...asset, uri: storage.uri, metadata: metadata ?? {}, sha256, size, closed, content };
}

function itemOf(
  file: BundleFile,
  path: readonly string[],
  from: number,
): { value: JsonValue; where: string } {
  const [item] = file.values(file.find(...path), { from });
  return { value: item?.value ?? null, where: `$.${path.join('.')}[${from}]` };
}

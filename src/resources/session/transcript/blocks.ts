import type { Part } from '#resources/message/schema.ts';
import type { TranscriptBlock } from './schema.ts';

type PartOf<Type extends Part['type']> = Extract<Part, { type: Type }>;
type Rows = {
  readonly [Type in Part['type']]: {
    /** Type of the block. */
    readonly block: string;
    /** Members that have another name in a block: name in the Part to name in the block. */
    readonly renamed: Readonly<Record<string, string>>;
    /** How the block reads in the text of an audit event. */
    text(part: PartOf<Type>, nameOf: NameOf): string;
  };
};

/** The name people know an Asset by, else its id. */
export type NameOf = (assetId: string) => string;

const ASSET = { artifact_id: 'asset_id' } as const;
const SAME = {} as const;

/** Parts and blocks, one row each way; nothing is lost. */
const BLOCKS: Rows = {
  text: { block: 'text', renamed: SAME, text: ({ text }) => text },
  json: { block: 'json', renamed: SAME, text: ({ value }) => hiddenOr(value, '<json>') },
  tool_call: { block: 'tool_call', renamed: SAME, text: ({ name }) => `<tool_call:${name}>` },
  tool_result: { block: 'tool_result', renamed: SAME, text: ({ status }) => `<tool_result:${status}>` },
  artifact_ref: {
    block: 'asset',
    renamed: ASSET,
    text: ({ artifact_id }, nameOf) => `<asset:${nameOf(artifact_id)}>`,
  },
  file_ref: { block: 'file', renamed: SAME, text: ({ uri }) => `<file:${uri}>` },
  image_ref: {
    block: 'image',
    renamed: ASSET,
    text: ({ artifact_id }, nameOf) => `<image:${nameOf(artifact_id)}>`,
  },
};

/** What stands in the place of a part that the reader may not see names the type it had. */
function hiddenOr(value: unknown, otherwise: string): string {
  const { redacted, type } = (value ?? {}) as { redacted?: unknown; type?: unknown };
  return redacted === true && typeof type === 'string' ? `<hidden:${type}>` : otherwise;
}

/** A Part as a block of a transcript. */
export function blockOfPart(part: Part): TranscriptBlock {
  const { block, renamed } = BLOCKS[part.type];
  return rename({ ...part, type: block }, renamed) as TranscriptBlock;
}

/** The Part that a block was made of; undefined for a type that no Part becomes. */
export function partOfBlock(block: TranscriptBlock): Part | undefined {
  const found = Object.entries(BLOCKS).find(([, row]) => row.block === block.type);
  if (found === undefined) return undefined;
  const [type, { renamed }] = found;
  const back = Object.fromEntries(Object.entries(renamed).map(([from, to]) => [to, from]));
  return rename({ ...block, type }, back) as unknown as Part;
}

function rename(value: object, names: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [names[name] ?? name, member]));
}

/** Parts as one line of text, with a mark in the place of what is no text. */
export function textOfParts(parts: readonly Part[], nameOf: NameOf): string {
  return parts.map((part) => BLOCKS[part.type].text(part as never, nameOf)).join(' ');
}

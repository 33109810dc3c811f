import { objectOf, textOf } from '#protocol/json-shape.ts';
import type { AskedAbout, AskedThing } from '#protocol-client.ts';

/** What a server asks in the midst of a call is about the tool that is called, by the name of its Skill. */
export function aboutOfAsked({ kind, metadata, binding }: AskedThing): AskedAbout {
  const server = textOf(objectOf(metadata['mcp'])['server']);
  const tool = textOf(binding?.['tool']);
  if (kind === 'tool' || server === undefined) return {};
  return { targets: [tool === undefined ? server : `${server}__${tool}`] };
}

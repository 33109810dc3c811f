import { resource } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Skill: resource('skill', 'echo', {
    name: 'Echo',
    description: 'Says it again.',
    input_schema: null,
    output_schema: null,
    source: 'a2a:sample',
    version: null,
    capabilities: ['sample'],
    requires_approval: false,
    deprecated: false,
  }),
} satisfies Examples;

import { AT, resource } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

const HALT = resource('halt', 'halt_01KAHG6QJC3G0Z2K4N6Q8S0V2X', {
  route: 'a2a:shop',
  tool: null,
  reason: 'It orders in a loop.',
  created_by: 'operator',
  released_at: null,
  released_by: null,
  release_reason: null,
});

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Halt: HALT,
  PlacedHalt: { ...HALT, ended_tasks: 3 },
  CreateHaltRequest: { route: 'a2a:shop', reason: 'It orders in a loop.' },
  ReleaseHaltRequest: { reason: 'The shop has mended it.' },
  'releaseHalt.response': {
    ...HALT,
    released_at: AT,
    released_by: 'operator',
    release_reason: 'The shop has mended it.',
  },
} satisfies Examples;

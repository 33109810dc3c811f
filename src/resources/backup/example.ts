import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  BackupRequest: {
    since: { commit: 41_280, hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
    include: ['keys'],
    recipient: {
      jwk: { kty: 'OKP', crv: 'X25519', x: '_XreG_CV0j_R4mb3l348Q2QIR8ewIx-ZqXwCEWWNziI' },
    },
  },
} satisfies Examples;

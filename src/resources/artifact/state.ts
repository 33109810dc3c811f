import type { Clean } from '#protocol/clean.ts';
import type { Copies } from '#resources/room.ts';
import { type Folded, idKey, idList, idTextKey, pairKey } from '#resources/states.ts';
import type { Artifact } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const artifactKeys = {
  artifact: idKey<CleanArtifactState>('r/artifact/'),
  /** By task. */
  upstreamArtifact: idTextKey('x/ua/'),
  asset: idKey<Copies>('x/asset/'),
  /** By scope and SHA-256. */
  content: pairKey('x/content/'),
  artifactsOfWorkspace: idList('l/artifact/w/'),
  artifactsOfSession: idList('l/artifact/s/'),
  /** Artifacts that the turns of a session refer to, whoever made them. */
  assetsOfSession: idList('l/asset/s/'),
  artifactsOfTask: idList('l/artifact/t/'),
  /** Bytes that are stored, by what they are. */
  storedContents: 'x/content/',
} as const;

export type ArtifactState = Folded<
  Artifact,
  {
    /** `parts`: what an agent sent part by part; `bytes`: one byte string. */
    store: 'none' | 'parts' | 'bytes';
    /** Numbers of its parts, or of the pieces of its bytes: from the first one, those of replaced parts before it, up to the end. */
    first_piece: number;
    pieces: number;
    /** True while every part is text: the content is then their concatenation. */
    all_text: boolean;
    size: number;
    /** The agent's own artifact id. */
    upstream_id: string | null;
    name: string | null;
    closed: boolean;
    /** Set once a chunk came after the last one: the agent's word for the end is worth nothing any more. */
    reopened?: true;
    /** Set for what belongs to no workspace: the tenant that may read it. */
    tenant?: string;
  }
>;

/** Artifact id given to an upstream's artifact id within a task. */
export interface UpstreamArtifactState {
  artifact_id: string;
}

/** As they are read: what was folded of clean events is clean. */
export type CleanArtifactState = Clean<ArtifactState>;
export type CleanUpstreamArtifactState = Clean<UpstreamArtifactState>;

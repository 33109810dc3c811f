import type { Handlers } from '#core/handlers.ts';
import { downloadArtifactContent, getArtifact, listArtifacts } from './queries.ts';
import { registerArtifact } from './registerArtifact.ts';
import { uploadArtifactContent } from './uploadArtifactContent.ts';

export const artifactHandlers = {
  registerArtifact,
  uploadArtifactContent,
  downloadArtifactContent,
  getArtifact,
  listArtifacts,
} satisfies Partial<Handlers>;

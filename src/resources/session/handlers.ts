import type { Handlers } from '#core/handlers.ts';
import { closeSession } from './closeSession.ts';
import { compactSession } from './compactSession.ts';
import { createSession } from './createSession.ts';
import { forkSession } from './forkSession.ts';
import { getMessage, getSession, listSessionMessages, listSessions } from './queries.ts';
import { getSessionTranscript } from './transcript/queries.ts';
import { truncateSession } from './truncateSession.ts';
import { updateSession } from './updateSession.ts';

export const sessionHandlers = {
  closeSession,
  compactSession,
  createSession,
  forkSession,
  truncateSession,
  updateSession,
  getMessage,
  getSession,
  getSessionTranscript,
  listSessionMessages,
  listSessions,
} satisfies Partial<Handlers>;

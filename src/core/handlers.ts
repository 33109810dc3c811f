import type { Commands } from './command.ts';
import type { Queries } from './query.ts';

/** What the gateway does, by operation; streams and documents are not among them. */
export type Handlers = Commands & Queries;

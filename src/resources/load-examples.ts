import { type Examples, together } from './room.ts';
import * as ROOMS from './rooms.ts';

/** Loads the examples of every room. */
export async function loadExamples(): Promise<Examples> {
  const rooms = Object.values(ROOMS).flatMap((room) => ('examples' in room ? [room.examples()] : []));
  return together<Examples>((await Promise.all(rooms)).map(({ examples }) => examples));
}

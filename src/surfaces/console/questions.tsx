import { useCalm } from './calm.ts';
import { everything, pageAt, type Schemas, useAllEvents, useLoaded } from './data.tsx';

const TOLD = /permission|approval|tool\.(approved|denied)|task\./;

/** What waits for a person, live; of one session, or of all. */
export function usePending(session?: string) {
  const found = useLoaded(
    async (client) => {
      const of = { status: 'pending' as const, ...(session === undefined ? {} : { session_id: session }) };
      const all = await everything(
        (cursor) =>
          client.get('/v1/permission-requests', { params: { query: { ...pageAt(cursor), ...of } } }),
        1_000,
      );
      // Oldest first: who waits longest comes first, and the list stays where it is when another one is asked.
      return all.reverse();
    },
    [session],
  );
  const calm = useCalm(found.reload);
  useAllEvents(({ event }) => {
    if (TOLD.test(event)) calm();
  });
  return found;
}

export function useQuestions(session?: string): {
  list: readonly Schemas['PermissionRequest'][];
  reload: () => void;
} {
  const { value = [], reload } = usePending(session);
  return { list: value, reload };
}

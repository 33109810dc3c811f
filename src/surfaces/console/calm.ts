import { useCallback, useEffect, useRef } from 'react';

/** Events come in bursts; what is shown is read again at most this often. */
const CALM_MS = 500;

/** Runs soon, and once for all that came meanwhile. */
export function useCalm(run: () => void, inMs = CALM_MS): () => void {
  const latest = useRef(run);
  latest.current = run;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, inMs);
  }, [inMs]);
}

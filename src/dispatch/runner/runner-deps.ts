import type { EventLog } from '../../eventlog/event-log.ts';
import type { Logger } from '../../protocol/ports.ts';
import type { Upstream } from '../../upstream.ts';
import type { DecisionTools } from '../facts.ts';
import type { FrameNumbers } from './frame-numbers.ts';

/** What the task runner and its runs get from the composition root. */
export interface RunnerDeps {
  log: EventLog;
  tools: DecisionTools;
  upstreams: ReadonlyMap<string, Upstream>;
  logger: Logger;
  openInput(sealed: Buffer): Buffer;
  redactFrame: DecisionTools['redact'];
  frameNumbers: FrameNumbers;
  limits: { perRoute: (route: string) => number; total: number; cancelWaitMs: number };
  timeoutSignal(ms: number): AbortSignal;
}

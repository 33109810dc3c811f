import { a2aFace, grpcFace } from './a2a-server.ts';
import { acpStream, acpTurn } from './acp-turn.ts';
import { append } from './append.ts';
import type { Bench } from './bench.ts';
import { bundles } from './bundles.ts';
import { durableTask } from './durable-task.ts';
import { eventLoop } from './event-loop.ts';
import { fanOut } from './fan-out.ts';
import { growth } from './growth.ts';
import { lengths } from './lengths.ts';
import { mcpCall } from './mcp-call.ts';
import { memory } from './memory.ts';
import { nodes } from './nodes.ts';
import { policy } from './policy.ts';
import { rangeReads } from './range-reads.ts';
import { receiptVerification } from './receipt-verification.ts';
import { redaction } from './redaction.ts';
import { replay } from './replay.ts';
import { sizing } from './sizing.ts';
import { startUp } from './start-up.ts';
import { telemetry } from './telemetry.ts';
import { upstreamHop } from './upstream-hop.ts';
import { workBudget } from './work-budget.ts';

/** In the order of quality.md. */
export const BENCHES: readonly Bench[] = [
  workBudget,
  durableTask,
  telemetry,
  a2aFace,
  grpcFace,
  upstreamHop,
  append,
  fanOut,
  eventLoop,
  rangeReads,
  receiptVerification,
  replay,
  redaction,
  bundles,
  growth,
  lengths,
  startUp,
  memory,
  sizing,
  acpTurn,
  acpStream,
  policy,
  mcpCall,
  nodes,
];

import { announcedGateway } from '#operation/data-directory.ts';
import type { Agent } from '#resources/agent/schema.ts';
import type { Halt } from '#resources/halt/schema.ts';
import { GatewayClient } from './client.ts';
import { CliError } from './exit-codes.ts';

/** An agent that the running gateway sends nothing to now, and what to do about it; or why that is not known. */
export interface RunningSight {
  kind: 'circuit' | 'halt' | 'unknown' | 'none';
  said: string;
  todo?: string;
}

/** Circuits that are not closed, and halts in force, of the gateway that runs on a data directory; empty where none runs. */
export async function inspectRunning(data: string): Promise<RunningSight[]> {
  const running = announcedGateway(data);
  if (running === undefined) return [];
  try {
    const client = new GatewayClient({ data, url: running.url });
    const params = { query: { limit: 200 } };
    const agents = await client.api.get('/v1/agents', { params });
    const halts = await client.api.get('/v1/admin/halts', { params });
    const sights = [...agents.data.flatMap(circuitOf), ...halts.data.map(haltSight)];
    return sights.length > 0 ? sights : [{ kind: 'none', said: 'no circuit is open and nothing is halted' }];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const said = `circuits and halts of ${running.url} are not shown: ${error.message} It takes a key with operator and agents:read.`;
    return [{ kind: 'unknown', said }];
  }
}

function circuitOf({ route, circuit, fallback }: Agent): RunningSight[] {
  if (circuit === null || circuit.state === 'closed') return [];
  const until = circuit.until === null ? '' : ` until ${circuit.until}`;
  const instead = fallback === null ? 'new tasks fail at once' : `new tasks go to ${fallback}`;
  const said = `the circuit of ${route} is ${circuit.state}${until} after ${circuit.failures} failures: ${instead}`;
  const todo = 'Look at the agent itself; the circuit closes with the first task that it takes again.';
  return [{ kind: 'circuit', said, todo }];
}

function haltSight({ id, route, tool, reason, created_by, created_at }: Halt): RunningSight {
  const what = tool === null ? route : `${tool} of ${route}`;
  const said = `${what} is halted since ${created_at} by ${created_by}: ${reason} Let it run again with: halt release ${id}`;
  return { kind: 'halt', said };
}

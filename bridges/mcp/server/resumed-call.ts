import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { ServerDeps, ServerExchange, ServerStream } from '#protocol-server.ts';
import { resultForSession } from '../../../mappings/mcp/eras.ts';
import { LOG_LEVELS, type LogLevel } from '../../../mappings/mcp/log-levels.ts';
import { CallLog, progressNotification } from './call-log.ts';
import { resultOfTask, waitingResult } from './call-result.ts';
import { untilStandstill } from './follow.ts';
import { messageFrame } from './post-answer.ts';
import { askOf, elicitationOf, questionOf, readTask, toolOf } from './requests.ts';
import { type CallPlace, callId } from './resume-id.ts';

/**
 * Goes on with the answer to a call where its client was, from the log: whether the gateway was restarted meanwhile, and
 * which session the call was made in, do not matter. Only who made the call gets its answer.
 */
export async function resumeCall(
  deps: ServerDeps,
  exchange: ServerExchange,
  place: CallPlace,
  headers: readonly string[],
  logLevel: LogLevel = LOG_LEVELS[0],
): Promise<void> {
  const task = await readTask(deps, exchange, place.taskId);
  if (task.created_by !== exchange.caller().actor)
    throw new ProtocolError('resource_not_found', 'No such call.', { param: 'Last-Event-ID' });
  const stream = exchange.openStream({ isResumed: true, headers, failureFrame: () => '' });
  stream.attach({ cursor: () => '', close: () => undefined });
  try {
    const result = await follow(deps, exchange, place, stream, logLevel);
    stream.write({ sse: messageFrame({ jsonrpc: '2.0', id: place.requestId, result }, '') });
    stream.end('complete');
  } catch (error) {
    // A client that is cut off resumes again where it was.
    exchange.failed(ProtocolError.from(error));
    stream.end('draining');
  }
}

async function follow(
  deps: ServerDeps,
  exchange: ServerExchange,
  place: CallPlace,
  stream: ServerStream,
  logLevel: LogLevel,
): Promise<JsonObject> {
  const { taskId, progressToken, after } = place;
  let now = place;
  let beyond: string | undefined;
  const log = new CallLog(deps, exchange, logLevel, (line) =>
    stream.write({ sse: messageFrame(line, callId(now)) }),
  );
  const news = {
    log(line: JsonObject, eventId: string) {
      now = { ...now, after: eventId };
      log.take(line, eventId);
    },
    progress(report: JsonObject, eventId: string) {
      now = { ...now, after: eventId };
      if (progressToken !== null)
        stream.write({ sse: messageFrame(progressNotification(progressToken, report), callId(now)) });
    },
  };
  for (;;) {
    const how = { beyond, after: now === place ? after : now.after };
    const standstill = await untilStandstill(deps.gateway, exchange, taskId, news, exchange.signal, how);
    await log.all();
    const task = await readTask(deps, exchange, taskId);
    if (isTerminal(standstill.status))
      return resultForSession(
        'tools/call',
        await resultOfTask(deps.gateway, exchange, await toolOf(deps, exchange, task), task),
      );
    const question = await questionOf(deps, exchange, taskId);
    const offered =
      place.asks.length === 0 ? undefined : Object.fromEntries(place.asks.map((way) => [way, {}]));
    const params = question && elicitationOf(question, offered);
    if (question === undefined || params === undefined)
      return waitingResult(task, standstill.requestId, question?.url);
    stream.write({ sse: messageFrame(askOf(question, params), callId(now)) });
    beyond = standstill.requestId;
  }
}

/** Ways of asking that a client offers, by its capability. A bare one is a form. */
export function waysOfAsking(elicitation: unknown): string[] {
  if (elicitation === undefined) return [];
  const ways = Object.keys(objectOf(elicitation)).filter((way) => way === 'form' || way === 'url');
  return ways.length === 0 ? ['form'] : ways;
}

import { type ChildEnd, inheritedEnvironment, startChild } from '../../wire/child.ts';
import type { Fault } from '../../wire/faults.ts';
import { gone, tooLong } from './faults.ts';
import type { AgentWire, WireListener, WireSettings } from './wire.ts';

/** Starts an agent on standard streams, one message per line. It ends with its standard input, or is ended. */
export function openProcess(
  settings: WireSettings,
  command: readonly string[],
  listener: WireListener,
): AgentWire {
  const { config, limits, deps } = settings;
  const end = once((why: Fault) => listener.ended(why));
  const child = startChild({
    command,
    env: environmentOf(settings),
    ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
    timers: deps.timers,
    guard: deps.guard,
    maxLineBytes: limits.max_frame_bytes,
    onLine: (line) => {
      const text = line.trim();
      if (text !== '') listener.text(text);
    },
    onOverlong: () => end(tooLong(limits.max_frame_bytes)),
    onNoise: (line) => deps.logger.debug({ agent: config.id, line }, 'agent'),
  });
  void child.ended.then((how) => end(died(how)));
  return {
    send: (text) => {
      // An agent that takes no more is told by its end.
      child.send(text).catch(() => undefined);
    },
    close: () => child.close(),
  };
}

function environmentOf({ config, deps }: WireSettings): Record<string, string> {
  const given = Object.entries(config.env ?? {}).map(
    ([name, value]) => [name, typeof value === 'string' ? value : deps.readSecret(value)] as const,
  );
  return { ...inheritedEnvironment(deps.environment), ...Object.fromEntries(given) };
}

function died({ notStarted, exitCode, signal, lastWords }: ChildEnd): Fault {
  if (notStarted !== undefined) {
    return gone('not_started', 'The program of the agent could not be started.', { code: notStarted });
  }
  const how = signal === null ? `with code ${exitCode}` : `by ${signal}`;
  return gone('exited', `The agent ended ${how}.`, {
    exit_code: exitCode,
    signal,
    ...(lastWords === '' ? {} : { stderr_tail: lastWords }),
  });
}

function once<T>(run: (value: T) => void): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (isDone) return;
    isDone = true;
    run(value);
  };
}

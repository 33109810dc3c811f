import type { Frame, PreparedTurn } from '#protocol-client.ts';
import type { Fault, Passage } from './upstream-guard.ts';

/** A turn of a guarded agent under way, as far as the first thing that its agent said. */
export interface SentTurn {
  passage: Passage;
  /** What its bridge says of it, and what the agent said first. One whose intent is recorded first ends with that. */
  begin: readonly Frame[];
  /** Why it failed before its agent said anything else. */
  fault: Fault | undefined;
  rest: AsyncIterator<Frame>;
}

/** Sends a turn. What its bridge does next is not done before somebody reads on. */
export async function sendTurn(
  { run }: PreparedTurn,
  signal: AbortSignal,
  passage: Passage,
): Promise<SentTurn> {
  const rest = run(signal)[Symbol.asyncIterator]();
  const begin: Frame[] = [];
  try {
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      const frame = next.value;
      begin.push(frame);
      passage.hear(frame);
      const goesOn = frame.kind === 'message' && frame.own === true && !frame.intent;
      if (!goesOn) return { passage, begin, fault: frame.kind === 'fault' ? frame : undefined, rest };
    }
    return { passage, begin, fault: undefined, rest };
  } catch (error) {
    passage.close();
    throw error;
  }
}

/** A turn to follow; whoever has it lets go of it in the end, also of one that is not followed. */
export interface BegunTurn extends PreparedTurn {
  leave?(): Promise<void>;
}

/** Lets go of a turn that is sent again, or elsewhere. */
export async function leaveTurn({ rest, passage }: SentTurn): Promise<void> {
  passage.close();
  await rest.return?.();
}

/**
 * The frames of a turn that was sent. Where its agent has said nothing yet but why it takes nothing, `again` may send it once
 * more: what its bridge says of it is on record then and is not said twice.
 */
export function followTurn(
  sent: SentTurn,
  again: (fault: Fault, retries: number) => Promise<SentTurn | undefined>,
): BegunTurn {
  let current = sent;
  return {
    leave: () => leaveTurn(current),
    async *run() {
      let begin = [...sent.begin];
      let isSilent = sent.fault === undefined;
      for (let retries = 0; ; ) {
        const frame = begin.shift() ?? (await nextOf(current));
        if (frame === undefined) return;
        const other = frame.kind === 'fault' && isSilent ? await again(frame, retries) : undefined;
        if (other === undefined) {
          isSilent &&= isOwn(frame);
          yield frame;
          continue;
        }
        retries += 1;
        await leaveTurn(current);
        current = other;
        begin = other.begin.filter((each) => !isOwn(each));
      }
    },
  };
}

function isOwn(frame: Frame): boolean {
  return frame.kind === 'message' && frame.own === true;
}

async function nextOf({ rest, passage }: SentTurn): Promise<Frame | undefined> {
  const { value, done } = await rest.next();
  if (done) return undefined;
  passage.hear(value);
  return value;
}

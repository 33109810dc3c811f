import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Messages kept per session; a client that was away for longer asks for the Task instead. */
const MAX_MESSAGES = 256;

/** The newest messages of one session, for a client that comes back with Last-Event-ID. The Tasks themselves are durable. */
export class RecentMessages implements EventStore {
  readonly #messages: { id: string; streamId: string; message: JSONRPCMessage }[] = [];
  #count = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const id = `${streamId}/${String(this.#count).padStart(12, '0')}`;
    this.#messages.push({ id, streamId, message });
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift();
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#messages.find((kept) => kept.id === id)?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#messages.findIndex(({ id }) => id === lastEventId);
    const streamId = this.#messages[at]?.streamId;
    if (streamId === undefined) throw new Error('The messages after that event are not kept any more.');
    for (const kept of this.#messages.slice(at + 1)) {
      if (kept.streamId === streamId) await send(kept.id, kept.message);
    }
    return streamId;
  }
}

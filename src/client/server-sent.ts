/** One block of an event stream. */
export interface Block {
  /** Where to resume: set by events, and by heartbeats, which carry nothing else. */
  id?: string;
  /** Name of the event; absent in a block that says nothing but its id or a time to wait. */
  event?: string;
  data?: string;
  retryMs?: number;
}

/**
 * The blocks of a body of server-sent events, as they come. A last one that is cut is left out. Parsers of the ecosystem forget
 * the id of a block without data, which is how a heartbeat moves the cursor. Spec: HTML, 9.2.6.
 */
export async function* blocksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Block> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let block: Block = {};
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (Object.keys(block).length > 0) yield block;
          block = {};
        } else read(line, block);
      }
    }
  } finally {
    await reader.cancel();
  }
}

function read(line: string, block: Block): void {
  const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
  if (field === 'id' && !value.includes('\0')) block.id = value;
  if (field === 'event') block.event = value;
  if (field === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
  if (field === 'retry' && /^\d+$/.test(value)) block.retryMs = Number(value);
}

import { CliError } from './exit-codes.ts';

export interface StreamedEvent {
  id: string;
  event: string;
  payload: Record<string, unknown>;
}

/** The events of an answer of server-sent events; an error frame becomes a CliError with the words of the gateway. */
export async function* readEvents(response: Response): AsyncGenerator<StreamedEvent> {
  if (!response.body) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = frame.split('\n').find((line) => line.startsWith('data: '));
      if (data === undefined) continue;
      const value = JSON.parse(data.slice('data: '.length)) as StreamedEvent & {
        error?: { message: string };
      };
      if (value.error) throw new CliError(value.error.message);
      yield value;
    }
  }
}

import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { AS_STREAM, type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { wholeNumberFrom } from '#cli/listing.ts';
import { print, printJson } from '#cli/terminal.ts';

interface CompactOptions extends ClientOptions {
  summary?: string;
  summaryFile?: string;
  keepLast: number;
  reason?: string;
  json?: boolean;
}

/** What `session` can do with a transcript. */
export function transcriptCommands(): Command[] {
  return [transcriptCommand(), compactCommand()];
}

function transcriptCommand(): Command {
  const command = new Command('transcript')
    .description('Print the transcript of a session as JSON: messages, audit events, asset descriptors.')
    .argument('<id>', 'session')
    .addHelpText('after', '\nExamples:\n  harn-gateway session transcript session_01... > transcript.json');
  return withClientOptions(command).action(async (id: string, options: ClientOptions) => {
    const params = { path: { session_id: id } };
    const transcript = new GatewayClient(options).bytes((api) =>
      api.get('/v1/sessions/{session_id}/transcript', { params, ...AS_STREAM }),
    );
    for await (const bytes of transcript) process.stdout.write(bytes);
    process.stdout.write('\n');
  });
}

function compactCommand(): Command {
  const command = new Command('compact')
    .description('Archive all but the newest turns of a session under a summary; nothing is deleted.')
    .argument('<id>', 'session')
    .option('--summary <text>', 'what to say of the archived turns (default: an extract of them)')
    .option('--summary-file <file>', 'the same, from a file')
    .option('--keep-last <n>', 'newest turns that stay as they are', wholeNumberFrom(0), 10)
    .option('--reason <text>', 'why; it is in the event')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway session compact session_01...\n  harn-gateway session compact session_01... --keep-last 4 --summary "The order is placed."',
    );
  return withClientOptions(command).action(compact);
}

async function compact(id: string, options: CompactOptions): Promise<void> {
  const { keepLast: keep_last, reason, json } = options;
  const summary = summaryOf(options);
  const body = {
    keep_last,
    ...(summary === undefined ? {} : { summary }),
    ...(reason === undefined ? {} : { reason }),
  };
  const params = { path: { session_id: id } };
  const { api } = new GatewayClient(options);
  const result = await api.post('/v1/sessions/{session_id}/compact', { params, body });
  if (json) printJson(result);
  else
    print(`${result.compacted_turn_count} turns archived, ${result.retained_turn_count} in the transcript`);
}

function summaryOf({ summary, summaryFile }: CompactOptions): string | undefined {
  if (summaryFile === undefined) return summary;
  if (summary !== undefined)
    throw new CliError('--summary and --summary-file exclude one another.', EXIT.usage);
  try {
    return readFileSync(summaryFile, 'utf8').trim();
  } catch {
    throw new CliError(`--summary-file: ${summaryFile} cannot be read.`, EXIT.usage);
  }
}

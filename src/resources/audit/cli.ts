import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { given } from '#cli/listing.ts';
import { printJson } from '#cli/terminal.ts';

/** Time between two looks for new lines. */
const FOLLOW_MS = 1_000;

/** Decisions for a SIEM. */
export function auditCommand(): Command {
  return new Command('audit')
    .description('What was decided, by whom and by which rule.')
    .addCommand(exportCommand())
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway audit export --since 2026-11-01 > audit.ndjson\n  harn-gateway audit export --follow',
    );
}

interface ExportOptions extends ClientOptions {
  since?: string;
  after?: string;
  follow?: boolean;
}

function exportCommand(): Command {
  const command = new Command('export')
    .description(
      'Print decisions as JSON lines, oldest first: of the policy, permissions, rules, keys, erasures, holds and kill switches.',
    )
    .option('--since <time>', 'only from this time on, in RFC 3339')
    .option('--after <id>', 'only those behind the line of this id')
    .option('--follow', 'go on with what comes, until it is stopped');
  return withClientOptions(command).action(exportLines);
}

async function exportLines({ since, after, follow, ...client }: ExportOptions): Promise<void> {
  const gateway = new GatewayClient(client);
  let cursor = after;
  for (;;) {
    const query = given({ since, after: cursor, limit: 1_000 });
    const page = await gateway.api.get('/v1/audit', { params: { query } });
    for (const line of page.data) printJson(line);
    cursor = page.next_cursor ?? cursor;
    if (!page.has_more && !follow) return;
    if (!page.has_more) await delay(FOLLOW_MS);
  }
}

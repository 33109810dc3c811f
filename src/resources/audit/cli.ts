import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { given } from '#cli/listing.ts';
import { printJson } from '#cli/terminal.ts';
import { UnavailableError } from '#cli/unreachable.ts';

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
    .option('--follow', 'go on with what comes, over restarts of the gateway, until it is stopped');
  return withClientOptions(command).action(exportLines);
}

async function exportLines({ since, after, follow, ...client }: ExportOptions): Promise<void> {
  let gateway: GatewayClient | undefined = new GatewayClient(client);
  let cursor = after;
  let wasThere = false;
  for (;;) {
    try {
      // A gateway that was started again may be at another address.
      gateway ??= new GatewayClient(client);
      const query = given({ since, after: cursor, limit: 1_000 });
      const page = await gateway.api.get('/v1/audit', { params: { query } });
      wasThere = true;
      for (const line of page.data) printJson(line);
      cursor = page.next_cursor ?? cursor;
      if (page.has_more) continue;
      if (!follow) return;
    } catch (error) {
      if (!follow || !wasThere || !isAway(error)) throw error;
      if (gateway !== undefined)
        process.stderr.write('The gateway is away; its lines go on when it is back.\n');
      gateway = undefined;
    }
    await delay(FOLLOW_MS);
  }
}

/** No gateway answers, or none for now, or none has left its address in the data directory. */
function isAway(error: unknown): boolean {
  return error instanceof UnavailableError || (error instanceof CliError && error.exitCode === EXIT.usage);
}

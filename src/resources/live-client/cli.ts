import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { printItems } from '#cli/listing.ts';
import type { LiveSessionClient } from './schema.ts';

/** Who works in a session; control is taken with `--takeover`. */
export function clientsCommand(): Command {
  const command = new Command('clients')
    .description('List who works in a session, and who controls it.')
    .argument('<id>', 'session')
    .option('--takeover <client>', 'make this client the controller first')
    .option('--detach <client>', 'detach this client first')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway session clients session_01...\n  harn-gateway session clients session_01... --takeover phone',
    );
  return withClientOptions(command).action(
    async (id: string, options: ClientOptions & { takeover?: string; detach?: string; json?: boolean }) => {
      const client = new GatewayClient(options);
      const path = `/v1/sessions/${encodeURIComponent(id)}`;
      const { detach, takeover } = options;
      if (detach !== undefined) await client.json('POST', `${path}/detach`, { client_id: detach });
      if (takeover !== undefined) await client.json('POST', `${path}/takeover`, { client_id: takeover });
      const { data } = await client.json<{ data: LiveSessionClient[] }>('GET', `${path}/live-clients`);
      await printItems(each(data), options.json, ({ client_id, mode, last_seen_at, metadata }) => [
        client_id,
        mode.padEnd(10),
        last_seen_at,
        JSON.stringify(metadata),
      ]);
    },
  );
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

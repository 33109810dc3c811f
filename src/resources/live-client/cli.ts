import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { printItems } from '#cli/table.ts';
import type { Columns } from '#resources/room.ts';
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
      const { api } = new GatewayClient(options);
      const params = { path: { session_id: id } };
      const { detach, takeover } = options;
      const body = (client_id: string) => ({ params, body: { client_id } });
      if (detach !== undefined) await api.post('/v1/sessions/{session_id}/detach', body(detach));
      if (takeover !== undefined) await api.post('/v1/sessions/{session_id}/takeover', body(takeover));
      const { data } = await api.get('/v1/sessions/{session_id}/live-clients', { params });
      await printItems(data, options.json, COLUMNS);
    },
  );
}

const COLUMNS: Columns<LiveSessionClient> = {
  CLIENT: ({ client_id }) => client_id,
  MODE: ({ mode }) => mode,
  'LAST SEEN': ({ last_seen_at }) => last_seen_at,
  METADATA: ({ metadata }) => JSON.stringify(metadata),
};

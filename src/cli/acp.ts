import { Command } from 'commander';
import { launch } from './acp/launch.ts';

/** The launcher that an editor spawns. It loads nothing of the gateway, because the editor waits for it. */
export function acpCommand(): Command {
  return new Command('acp')
    .description('Be an ACP agent on standard streams: what an editor spawns to talk to the gateway.')
    .option('--url <url>', 'gateway (default: HARN_GATEWAY_URL, else the one of the data directory)')
    .option('--key <key>', 'API key (default: HARN_GATEWAY_KEY, else <data>/dev-api-key)')
    .option('--key-file <file>', 'file that holds the API key')
    .option(
      '--data <dir>',
      'data directory (default: HARN_GATEWAY_DATA, ./data, else ~/.local/share/harn-gateway)',
    )
    .option('--config <file>', 'configuration of the gateway that is started when none runs')
    .addHelpText('after', '\nIn Zed: "agent_servers": {"Harn": {"command": "harn-gateway", "args": ["acp"]}}')
    .action(launch);
}

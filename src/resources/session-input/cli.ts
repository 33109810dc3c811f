import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';

interface PutOptions extends ClientOptions {
  variable?: boolean;
  replace?: boolean;
}

/** Hands variables and secrets to a running session. A value is read from standard input: arguments are seen by others. */
export function inputCommand(): Command {
  const command = new Command('input')
    .description('Hand named variables and secrets to a running session; they are kept in memory only.')
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway session input put session_01... SHOP_TOKEN < token.txt\n  harn-gateway session input list session_01...',
    );
  const list = new Command('list')
    .description('List them; secrets without their values.')
    .argument('<id>', 'session');
  const put = new Command('put')
    .description('Put one; its value comes from standard input, without the line break at its end.')
    .argument('<id>', 'session')
    .argument('<name>', 'letters, digits and _')
    .option('--variable', 'a variable, whose value may be shown')
    .option('--replace', 'replace one of this name');
  const remove = new Command('remove')
    .description('Remove one.')
    .argument('<id>', 'session')
    .argument('<name>', 'its name');
  return command
    .addCommand(
      withClientOptions(list).action((id: string, options: ClientOptions) =>
        send(id, { kind: 'list' }, options),
      ),
    )
    .addCommand(
      withClientOptions(put).action((id: string, name: string, options: PutOptions) => {
        const { variable = false, replace = false } = options;
        const value = readFileSync(0, 'utf8').replace(/\r?\n$/, '');
        const spec = { name, kind: variable ? 'variable' : 'secret' };
        return send(id, { kind: 'put', spec, value, replace }, options);
      }),
    )
    .addCommand(
      withClientOptions(remove).action((id: string, name: string, options: ClientOptions) =>
        send(id, { kind: 'remove', name }, options),
      ),
    );
}

async function send(id: string, body: object, options: ClientOptions): Promise<void> {
  const path = `/v1/sessions/${encodeURIComponent(id)}/inputs`;
  const answer = await new GatewayClient(options).json<object>('POST', path, body);
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
}

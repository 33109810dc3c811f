import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import type { components } from '#client/index.ts';

interface InputOptions extends ClientOptions {
  json?: boolean;
}

type Answered = components['schemas']['SessionInputsResponse'];

/** Hands variables and secrets to a running session. A value is read from standard input: arguments are seen by others. */
export function inputCommand(): Command {
  const list = leaf('list', 'List them; secrets without their values.', 'list session_01...');
  const put = leaf(
    'put',
    'Put one; its value comes from standard input, without the line break at its end.',
    'put session_01... SHOP_TOKEN < token.txt',
  );
  const remove = leaf('remove', 'Remove one.', 'remove session_01... SHOP_TOKEN');
  list.action((id: string, options: InputOptions) => send(id, { kind: 'list' }, options));
  put
    .argument('<name>', 'letters, digits and _')
    .option('--variable', 'a variable, whose value may be shown')
    .option('--replace', 'replace one of this name')
    .action((id: string, name: string, options: InputOptions & { variable?: boolean; replace?: boolean }) => {
      const { variable = false, replace = false } = options;
      const value = readFileSync(0, 'utf8').replace(/\r?\n$/, '');
      const spec = { name, kind: variable ? ('variable' as const) : ('secret' as const) };
      return send(id, { kind: 'put', spec, value, replace }, options);
    });
  remove
    .argument('<name>', 'its name')
    .action((id: string, name: string, options: InputOptions) => send(id, { kind: 'remove', name }, options));
  return new Command('input')
    .description('Hand named variables and secrets to a running session; they are kept in memory only.')
    .addCommand(list)
    .addCommand(put)
    .addCommand(remove)
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway session input put session_01... SHOP_TOKEN < token.txt',
    );
}

function leaf(name: string, description: string, example: string): Command {
  const command = new Command(name)
    .description(description)
    .argument('<id>', 'session')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', `\nExamples:\n  harn-gateway session input ${example}`);
  return withClientOptions(command);
}

async function send(
  id: string,
  body: components['schemas']['SessionInputsRequest'],
  options: InputOptions,
): Promise<void> {
  const params = { path: { session_id: id } };
  const { api } = new GatewayClient(options);
  const answer: Answered = await api.post('/v1/sessions/{session_id}/inputs', { params, body });
  process.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : wordsOf(answer));
}

function wordsOf({ inputs, input, removed, delivery }: Answered): string {
  const routes = new Map(delivery.taken_by.map((row) => [row.name, row.routes.join(' ') || 'no route']));
  const shown = input === undefined ? (inputs ?? []) : [input];
  const lines = shown.map(({ name, kind, value }) =>
    [
      name,
      (kind ?? '').padEnd(8),
      routes.get(name) ?? '-',
      ...(value === undefined ? [] : [JSON.stringify(value)]),
    ].join('  '),
  );
  const said = removed === undefined ? [] : [removed ? 'Removed.' : 'There was none of this name.'];
  return `${[...lines, ...said, delivery.message].join('\n')}\n`;
}

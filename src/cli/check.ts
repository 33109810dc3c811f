import { Command } from 'commander';
import { renderExample } from '../config/example.ts';
import { type ConfigOptions, configOf, withConfigOptions } from './gateway-config.ts';

export function checkCommand(): Command {
  const command = new Command('check')
    .description('Check the configuration without starting; all faults at once, with their paths.')
    .option('--print-example', 'print a configuration file with every option and its default');
  return withConfigOptions(command, ['config']).action(check);
}

function check(flags: ConfigOptions & { printExample?: boolean }): void {
  if (flags.printExample) {
    process.stdout.write(renderExample());
    return;
  }
  const config = configOf(flags);
  process.stdout.write(`${config.file ?? 'The default configuration'} is fine.\n`);
}

import { Command } from 'commander';
import { cardCommand } from '#resources/agent/card-cli.ts';
import { agentsCommand } from '#resources/agent/cli.ts';
import { apiKeysCommand } from '#resources/api-key/cli.ts';
import { artifactCommand } from '#resources/artifact/cli.ts';
import { auditCommand } from '#resources/audit/cli.ts';
import { backupCommand, restoreCommand } from '#resources/backup/cli.ts';
import { erasureCommand } from '#resources/erasure/cli.ts';
import { haltCommand } from '#resources/halt/cli.ts';
import { holdsCommand } from '#resources/hold/cli.ts';
import { permissionCommand } from '#resources/permission/cli.ts';
import { policyCommand } from '#resources/policy/cli.ts';
import { receiptCommand } from '#resources/receipt/cli.ts';
import { keysCommand } from '#resources/receipt/signing-key-cli.ts';
import { replayCommand } from '#resources/replay/cli.ts';
import { sessionCommand } from '#resources/session/cli.ts';
import { taskCommand, textBehindDashes } from '#resources/task/cli.ts';
import { trustCommand } from '#resources/trust/cli.ts';
import { vaultCommand } from '#resources/vault/cli.ts';
import { acpCommand } from './acp.ts';
import { checkCommand } from './check.ts';
import { completionCommand } from './completion.ts';
import { doctorCommand } from './doctor.ts';
import { collectionCommands } from './listing.ts';
import { logCommand } from './log.ts';
import { mcpCommand } from './mcp.ts';
import { openapiCommand } from './openapi.ts';
import { packageVersion } from './package-facts.ts';
import { reloadCommand } from './reload.ts';
import { runCommands } from './run-commands.ts';
import { serveCommand } from './serve.ts';
import { statusCommand } from './status.ts';
import { topCommand } from './top.ts';
import { withUsageTexts } from './usage-texts.ts';

/** Runs one command line and returns the exit code. Answers go to stdout, everything else to stderr. */
export function runCli(argv: readonly string[]): Promise<number> {
  return runCommands(program(), textBehindDashes(argv));
}

/** The tree of all commands, with their help. */
export function program(): Command {
  const root = new Command('harn-gateway')
    .description('Protocol gateway that gives every agent Harn semantics.')
    .version(packageVersion())
    .exitOverride();
  for (const command of [
    serveCommand(),
    checkCommand(),
    doctorCommand(),
    reloadCommand(),
    backupCommand(),
    restoreCommand(),
    acpCommand(),
    mcpCommand(),
    statusCommand(),
    topCommand(),
    taskCommand(),
    artifactCommand(),
    agentsCommand(),
    sessionCommand(),
    holdsCommand(),
    erasureCommand(),
    auditCommand(),
    permissionCommand(),
    ...collectionCommands(),
    logCommand(),
    receiptCommand(),
    trustCommand(),
    replayCommand(),
    keysCommand(),
    apiKeysCommand(),
    vaultCommand(),
    policyCommand(),
    haltCommand(),
    cardCommand(),
    openapiCommand(),
    completionCommand(),
  ]) {
    root.addCommand(command);
  }
  for (const words of JSON_ALREADY)
    commandAt(root, words.split(' ')).option('--json', 'changes nothing: what it prints is JSON');
  return withUsageTexts(root);
}

/** Commands that print JSON and nothing else; they take the option of all others. */
const JSON_ALREADY = [
  'session transcript',
  'session export',
  'audit export',
  'receipt collect',
  'trust export',
  'card show',
  'openapi',
] as const;

function commandAt(root: Command, words: readonly string[]): Command {
  return words.reduce((command, word) => {
    const below = command.commands.find((one) => one.name() === word);
    if (below === undefined) throw new Error(`there is no command ${words.join(' ')}`);
    return below;
  }, root);
}

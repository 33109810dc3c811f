import { Command } from 'commander';
import { acpCommand } from './acp.ts';
import { agentsCommand } from './agents.ts';
import { apiKeysCommand } from './api-keys.ts';
import { artifactCommand } from './artifact.ts';
import { cardCommand } from './card.ts';
import { checkCommand } from './check.ts';
import { completionCommand } from './completion.ts';
import { connectorCommand } from './connector.ts';
import { keysCommand } from './keys.ts';
import { logCommand } from './log.ts';
import { mcpCommand } from './mcp.ts';
import { openapiCommand } from './openapi.ts';
import { packageVersion } from './package-facts.ts';
import { permissionCommand } from './permission.ts';
import { personaCommand } from './persona.ts';
import { policyCommand } from './policy.ts';
import { receiptCommand } from './receipt.ts';
import { replayCommand } from './replay.ts';
import { runCommands } from './run-commands.ts';
import { serveCommand } from './serve.ts';
import { sessionCommand } from './session.ts';
import { statusCommand } from './status.ts';
import { taskCommand, textBehindDashes } from './task.ts';
import { withUsageTexts } from './usage-texts.ts';
import { vaultCommand } from './vault.ts';

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
    acpCommand(),
    mcpCommand(),
    statusCommand(),
    taskCommand(),
    artifactCommand(),
    agentsCommand(),
    sessionCommand(),
    permissionCommand(),
    personaCommand(),
    connectorCommand(),
    logCommand(),
    receiptCommand(),
    replayCommand(),
    keysCommand(),
    apiKeysCommand(),
    vaultCommand(),
    policyCommand(),
    cardCommand(),
    openapiCommand(),
    completionCommand(),
  ]) {
    root.addCommand(command);
  }
  return withUsageTexts(root);
}

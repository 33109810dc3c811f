#!/usr/bin/env node
// An editor waits for the launcher, which needs nothing of the gateway.
const commands =
  process.argv[2] === 'acp' ? await import('./cli/launcher.ts') : await import('./cli/program.ts');

process.exitCode = await commands.runCli(process.argv);

export {};

#!/usr/bin/env node
import { loadingFault } from './cli/open-files.ts';

const FAILED = 1;

async function load() {
  // An editor waits for the launcher, which needs nothing of the gateway.
  if (process.argv[2] === 'acp') return import('./cli/launcher.ts');
  return import('./cli/program.ts');
}

// No module of the product awaits at its top level: the bundle is made of scripts, which cannot.
async function run(): Promise<void> {
  // One that is told to reload before it has read its configuration has nothing to do; by default the signal would end it.
  if (process.argv[2] === 'serve') process.on('SIGHUP', () => undefined);
  try {
    const { runCli } = await load();
    process.exitCode = await runCli(process.argv);
  } catch (error) {
    // Commands report their own failures: what comes here is one of loading them, which opens many files at once.
    const fault = loadingFault(error);
    if (fault === undefined) throw error;
    process.stderr.write(`error: ${fault}\n`);
    process.exitCode = FAILED;
  }
}

void run();

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bridges } from '../../bridges/index.ts';
import { SAMPLE_AGENT_ID } from '../config/routes.ts';
import { readSecret, type SecretRef } from '../config/secret.ts';
import { parseStrictText } from '../json/strict-parse.ts';
import { type SampleAgentProcess, startSampleAgent } from '../operation/sample-agent-process.ts';
import type { Upstream } from '../upstream.ts';
import type { Parts } from './parts.ts';

/** Starts the bundled agent when the configuration names no other; undefined otherwise. */
export async function startSample({
  config,
  packageRoot,
  env,
  logger,
}: Parts): Promise<SampleAgentProcess | undefined> {
  if (!config.usesSampleAgent) return undefined;
  return startSampleAgent(
    join(packageRoot, 'dist', 'bridges', 'a2a', 'sample-agent', 'main.js'),
    env,
    logger,
  );
}

/** One adapter per configured agent, by route. Their credentials are known secrets from now on. */
export function makeUpstreams(parts: Parts, sample: SampleAgentProcess | undefined): Map<string, Upstream> {
  const { config, logger, clock, extraUpstreams = [] } = parts;
  const deps = {
    clock,
    timers: {
      setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
      clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
    },
    logger,
    readSecret: secretReader(parts),
    parseJson: (text: string) => parseStrictText(text),
  };
  for (const { auth } of config.upstreams.a2a) if (auth) deps.readSecret(auth.value);
  const rows = sample ? [{ id: SAMPLE_AGENT_ID, card: sample.cardUrl }] : config.upstreams.a2a;
  const made = [...bridges.a2a.createUpstreams(rows, deps), ...extraUpstreams];
  return new Map(made.map((upstream) => [upstream.route, upstream]));
}

/** Reads a secret at each use, so that a rotated file takes effect, and hides it wherever it might appear. */
export function secretReader({ env, redactor }: Parts): (ref: SecretRef) => string {
  const sources = { env, readFile: (path: string) => readFileSync(path, 'utf8') };
  return (ref) => {
    const secret = readSecret(ref, sources);
    redactor.addKnownSecret(secret);
    return secret;
  };
}

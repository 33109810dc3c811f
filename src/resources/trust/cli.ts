import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { type ItemOf, itemsOf, listCommand } from '#cli/listing.ts';
import { packageVersion } from '#cli/package-facts.ts';
import { print, printJson } from '#cli/terminal.ts';
import { writeOut } from '#cli/write-out.ts';
import { type TrustVerdict, verifyTrustFile } from '#receipts/verify-trust-file.ts';
import { readJwks } from '#resources/receipt/cli.ts';
import type { Listing } from '#resources/room.ts';
import type { TrustRecord } from './schema.ts';

const listing: Listing<TrustRecord, '/v1/trust-records'> = {
  description: 'List approvals, denials and changes of autonomy tiers, newest first.',
  path: '/v1/trust-records',
  filters: [{ flags: '--workspace <id>', param: 'workspace_id', description: 'of this workspace only' }],
  columns: {
    TIME: ({ timestamp }) => timestamp,
    OUTCOME: ({ outcome }) => outcome,
    AGENT: ({ agent }) => agent,
    ACTION: ({ action }) => action,
    APPROVER: ({ approver }) => approver ?? '-',
  },
};

export function trustCommand(): Command {
  const verify = new Command('verify')
    .description('Verify a chain of OpenTrustGraph records in a file, of v0 or v0.1; needs no gateway.')
    .argument('<file>', 'an export, an array, lines of JSON, or a list answer, from its first record on')
    .option(
      '--jwks <file>',
      'public keys: what the gateway serves at /.well-known/jwks.json; without them hashes and links only',
    )
    .option('--json', 'print the verdict as JSON')
    .action(verifyChain);
  const exported = new Command('export')
    .description('Write the chain of a workspace as an OpenTrustGraph export.')
    .argument('<workspace>', 'id of the workspace')
    .option('--out <file>', 'where to write (default: standard output)');
  return new Command('trust')
    .description('Who allowed what, and who was refused: chains of OpenTrustGraph records.')
    .addCommand(listCommand(listing))
    .addCommand(withClientOptions(exported).action(exportChain))
    .addCommand(verify);
}

function verifyChain(file: string, { jwks, json }: { jwks?: string; json?: boolean }): void {
  const verdict = verifyTrustFile(bytesOf(file), jwks === undefined ? undefined : readJwks(jwks));
  if (json) printJson(verdict);
  else print(describe(verdict));
  if (!verdict.ok) process.exitCode = EXIT.failed;
}

async function exportChain(workspace: string, options: ClientOptions & { out?: string }): Promise<void> {
  const params = { query: { workspace_id: workspace } };
  const found = itemsOf(new GatewayClient(options), listing.path, params, Number.POSITIVE_INFINITY);
  const records: ItemOf<'/v1/trust-records'>[] = [];
  for await (const record of found) records.unshift(record);
  const chain = {
    topic: String(records[0]?.metadata['topic'] ?? `workspace:${workspace}`),
    total: records.length,
    root_hash: records.at(-1)?.entry_hash ?? null,
  };
  const { ok } = verifyTrustFile(Buffer.from(JSON.stringify(records)), undefined);
  const document = {
    schema: 'opentrustgraph-chain/v0',
    chain: {
      ...chain,
      verified: ok,
      generated_at: new Date().toISOString(),
      producer: { name: 'harn-gateway', version: packageVersion() },
    },
    records,
  };
  await writeOut([`${JSON.stringify(document)}\n`], options.out);
}

function describe({ ok, step, index, expected, observed, records, signatures }: TrustVerdict): string {
  const place = index === null ? '' : ` at record ${index}`;
  if (!ok) return `failed: ${step}${place}: expected ${expected}, observed ${observed}`;
  const { verified, unchecked } = signatures;
  if (verified === 0)
    return `ok: ${records} records by their hashes and links, which anybody can make; no signature was checked${
      unchecked > 0 ? `, of ${unchecked}: name the keys with --jwks` : ': there is none'
    }`;
  const left = unchecked > 0 ? `; ${unchecked} not checked` : '';
  return `ok: ${records} records, ${verified} signatures verified${left}`;
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new CliError(`${file} cannot be read.`, EXIT.usage);
  }
}

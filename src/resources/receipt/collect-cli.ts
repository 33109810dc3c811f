import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { itemsOf, queryOf } from '#cli/listing.ts';
import { Progress } from '#cli/progress.ts';
import { writeOut } from '#cli/write-out.ts';
import { parseStrictText } from '#json/strict-parse.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Task } from '#resources/task/schema.ts';
import { type Inclusion, type TreeHead, treeHead } from './log-schema.ts';
import type { Receipt } from './schema.ts';

interface CollectOptions extends ClientOptions {
  earlier?: string;
  out?: string;
}

/** All that a verification can use, in one file: it needs no gateway then, only keys from where they are trusted. */
export function receiptCollectCommand(): Command {
  const collect = new Command('collect')
    .description(
      'Write all that proves the receipts of a task to a file: the chain of its session, a head of the log, proofs.',
    )
    .argument('<task>', 'id of the task')
    .option(
      '--earlier <file>',
      'a head that you kept: the proof that the log only grew since then is written too',
    )
    .option('--out <file>', 'file to write (default: standard output)');
  return withClientOptions(collect).action(collectReceipts);
}

async function collectReceipts(taskId: string, { earlier, out, ...options }: CollectOptions): Promise<void> {
  const before = earlier === undefined ? undefined : readHead(earlier);
  const client = new GatewayClient(options);
  const { session_id } = await client.json<Task>('GET', `/v1/tasks/${encodeURIComponent(taskId)}`);
  const receipts = await receiptsOfSession(client, session_id);
  // After the receipts: all of them are in a log of this size.
  const head = await client.json<TreeHead>('GET', '/v1/receipt-log/head');
  const proofs = await inclusionOf(client, receipts, head.size);
  const collected = {
    object: 'receipt_collection',
    task_id: taskId,
    receipts: proofs.map(({ receipt }) => receipt.wire.payload),
    head,
    inclusion: proofs.map(({ proof }) => proof),
    ...(before === undefined ? {} : { consistency: await growth(client, before, head) }),
  };
  await writeOut([`${JSON.stringify(collected)}\n`], out);
}

async function receiptsOfSession(client: GatewayClient, sessionId: string): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  const tasks = `/v1/sessions/${encodeURIComponent(sessionId)}/tasks`;
  for await (const { id } of itemsOf<Task>(client, tasks, Number.POSITIVE_INFINITY))
    for await (const receipt of itemsOf<Receipt>(
      client,
      `/v1/tasks/${id}/receipts`,
      Number.POSITIVE_INFINITY,
    ))
      receipts.push(receipt);
  return receipts;
}

/** The receipts with their proofs, in the order of the log, which is that of their chain. */
async function inclusionOf(
  client: GatewayClient,
  receipts: readonly Receipt[],
  size: number,
): Promise<{ receipt: Receipt; proof: Inclusion }[]> {
  const progress = new Progress('receipt collect');
  const found: { receipt: Receipt; proof: Inclusion }[] = [];
  for (const receipt of receipts) {
    const query = queryOf({ receipt_id: receipt.id, size: String(size) });
    found.push({ receipt, proof: await client.json<Inclusion>('GET', `/v1/receipt-log/inclusion${query}`) });
    progress.update(found.length, 'receipts', receipts.length);
  }
  progress.end();
  return found.sort((one, other) => one.proof.index - other.proof.index);
}

function growth(client: GatewayClient, before: TreeHead, head: TreeHead): Promise<object> {
  if (before.size > head.size)
    throw new CliError(
      `--earlier: it is of size ${before.size}, and the log has ${head.size} leaves now: leaves are missing.`,
    );
  const query = queryOf({ first: String(before.size), second: String(head.size) });
  return client.json<object>('GET', `/v1/receipt-log/consistency${query}`);
}

function readHead(file: string): TreeHead {
  let value: JsonValue;
  try {
    value = parseStrictText(readFileSync(file, 'utf8'));
  } catch {
    throw new CliError(`--earlier: ${file} cannot be read, or is no JSON.`, EXIT.usage);
  }
  const parsed = treeHead.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CliError(
    `--earlier: ${file} is no head of a receipt log; keep one of GET /v1/receipt-log/head.`,
    EXIT.usage,
  );
}

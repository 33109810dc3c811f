import { Command } from 'commander';
import { AS_STREAM, type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { listCommand } from '#cli/listing.ts';
import { print, printJson } from '#cli/terminal.ts';
import { writeOut } from '#cli/write-out.ts';
import { artifactListing } from './listing.ts';
import type { Artifact } from './schema.ts';

export function artifactCommand(): Command {
  return new Command('artifact')
    .description('What agents made: list it, and read its content.')
    .addCommand(listCommand(artifactListing))
    .addCommand(getCommand())
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway artifact list --task task_01...\n  harn-gateway artifact get artifact_01... --out report.pdf',
    );
}

type GetOptions = ClientOptions & { out?: string; json?: boolean };

function getCommand(): Command {
  const command = new Command('get')
    .description('Write the content of an artifact to standard output, or to a file.')
    .argument('<id>', 'artifact')
    .option('--out <file>', 'file to write it to, whole or not at all')
    .option('--json', 'print the description of the artifact as JSON instead');
  return withClientOptions(command).action(async (id: string, { out, json, ...options }: GetOptions) => {
    const client = new GatewayClient(options);
    const params = { path: { artifact_id: id } };
    const described = () => client.api.get('/v1/artifacts/{artifact_id}', { params });
    if (json) return printJson(await described());
    const content = client.bytes((api) =>
      api.get('/v1/artifacts/{artifact_id}/content', { params, ...AS_STREAM }),
    );
    if (out === undefined && process.stdout.isTTY) await show(await described(), content);
    else await writeOut(content, out);
  });
}

/** What an agent made must not drive a terminal. */
async function show(
  { mime_type }: Pick<Artifact, 'mime_type'>,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (!/^(text\/|application\/([\w.-]+\+)?(json|xml|yaml)\b)/i.test(mime_type))
    throw new CliError(`The content is ${mime_type}, no text: write it to a file with --out.`, EXIT.usage);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  print(Buffer.concat(pieces).toString('utf8'));
}

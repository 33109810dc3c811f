import { Command } from 'commander';
import { type VersionId, versionOf } from '#protocol/versions.ts';
import { loadExamples } from '#resources/load-examples.ts';
import { openApiDocument } from '#surfaces/discovery/openapi.ts';
import { protocolVersionOption } from './client.ts';
import { packageVersion } from './package-facts.ts';

export function openapiCommand(): Command {
  return new Command('openapi')
    .description('Print the OpenAPI document of the gateway.')
    .addOption(protocolVersionOption())
    .action(async ({ protocolVersion }: { protocolVersion: VersionId }) => {
      const document = openApiDocument(packageVersion(), await loadExamples(), versionOf(protocolVersion));
      process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    });
}

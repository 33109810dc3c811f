import { Command } from 'commander';
import { openApiDocument } from '#surfaces/discovery/openapi.ts';
import { packageVersion } from './package-facts.ts';

export function openapiCommand(): Command {
  return new Command('openapi').description('Print the OpenAPI document of the gateway.').action(() => {
    process.stdout.write(`${JSON.stringify(openApiDocument(packageVersion()), null, 2)}\n`);
  });
}

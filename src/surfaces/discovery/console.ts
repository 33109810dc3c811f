import { z } from 'zod';
import type { JsonReader } from '#json/json-reader.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { SUPPORTED_VERSIONS } from '#protocol/versions.ts';
import { addRoute, READ, type RouterGroups } from '#surfaces/rest/routes.ts';
import { readJson, sendJson } from '../http/exchange.ts';
import { leadTo, pagePolicy, StaticFiles, wantsPage } from '../http/static-files.ts';
import type { SignInCodes } from './sign-in-codes.ts';

export interface ConsoleDeps {
  /** Folder of the built page. */
  folder: string;
  /** Version of the gateway package. */
  version: string;
  /** Issuers that people can sign in at, as configured now. */
  issuers(): readonly ConsoleIssuer[];
  codes: Pick<SignInCodes, 'redeem'>;
}

/** An issuer, and the name under which it knows the console. */
export interface ConsoleIssuer {
  issuer: string;
  client_id: string;
}

/** More than a code has. */
const SIGN_IN_LIMITS = { maxBodyBytes: 1024, maxJsonDepth: 2 };
const signInRequest = z.strictObject({ code: z.string().min(1).max(200) });

/**
 * The console: public static files, the names of the issuers, and the exchange of the code in the link that the first steps print.
 * All else that it shows comes from the calls that everybody has, with the key or token of who signed in.
 */
export function addConsoleRoutes(
  routes: RouterGroups,
  { folder, version, issuers, codes }: ConsoleDeps,
  json: Pick<JsonReader, 'read'>,
): void {
  const policy = () => pagePolicy(issuers().map(({ issuer }) => new URL(issuer).origin));
  const files = new StaticFiles(folder, policy);
  addRoute(routes, READ, '/', async (exchange) => {
    if (!wantsPage(exchange))
      throw new ProtocolError('resource_not_found', 'No such path. GET /openapi.json lists the paths.');
    leadTo(exchange, '/console/');
  });
  addRoute(routes, READ, '/console', async (exchange) => leadTo(exchange, '/console/'));
  addRoute(routes, READ, '/console/', async (exchange) => files.send(exchange, 'index.html'));
  addRoute(routes, READ, '/console/settings.json', async (exchange) =>
    sendJson(exchange, 200, { version, protocol_versions: SUPPORTED_VERSIONS, issuers: issuers() }),
  );
  addRoute(routes, READ, '/console/assets/{file}', async (exchange, { file }) =>
    files.send(exchange, `assets/${file}`),
  );
  addRoute(routes, ['POST'], '/console/sign-in', async (exchange) => {
    const body = signInRequest.safeParse(await readJson(exchange, SIGN_IN_LIMITS, json));
    if (!body.success)
      throw new ProtocolError('invalid_request', 'code: Send the code of the link.', { param: 'code' });
    const key = codes.redeem(body.data.code);
    if (key === undefined)
      throw new ProtocolError(
        'unauthenticated',
        'code: this link was used, or is older than a minute. Restart the gateway for another one, or sign in with the key.',
        { param: 'code' },
      );
    sendJson(exchange, 200, { key });
  });
}

import { ProtocolError } from '#protocol/errors.ts';
import { addRoute, READ, type RouterGroups } from '#surfaces/rest/routes.ts';
import { type Exchange, sendEmpty } from '../http/exchange.ts';
import { StaticFiles } from '../http/static-files.ts';

/** Nothing is run or loaded but what the gateway serves; Swagger UI has its pictures in its style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page that shows the OpenAPI document; `folder` is where the build has put it. Its files are public. */
export function addDocsRoutes(routes: RouterGroups, folder: string): void {
  const files = new StaticFiles(folder, () => POLICY);
  addRoute(routes, READ, '/docs', async (exchange) => {
    if (!wantsPage(exchange))
      throw new ProtocolError(
        'resource_not_found',
        'This is a page for browsers. GET /openapi.json is what it shows.',
      );
    sendEmpty(exchange, 302, ['Location', '/docs/', 'Vary', 'Accept', 'Content-Length', '0']);
  });
  addRoute(routes, READ, '/docs/', async (exchange) => files.send(exchange, 'index.html'));
  addRoute(routes, READ, '/docs/assets/{file}', async (exchange, { file }) =>
    files.send(exchange, `assets/${file}`),
  );
}

/** Only a browser asks for a page by name. */
function wantsPage({ req }: Exchange): boolean {
  return (req.headers.accept ?? '').includes('text/html');
}

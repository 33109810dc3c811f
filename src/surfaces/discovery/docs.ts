import { ProtocolError } from '#protocol/errors.ts';
import { addRoute, READ, type RouterGroups } from '#surfaces/rest/routes.ts';
import { leadTo, pagePolicy, StaticFiles, wantsPage } from '../http/static-files.ts';

/** The page that shows the OpenAPI document; `folder` is where the build has put it. Its files are public. */
export function addDocsRoutes(routes: RouterGroups, folder: string): void {
  const files = new StaticFiles(folder, () => pagePolicy());
  addRoute(routes, READ, '/docs', async (exchange) => {
    if (!wantsPage(exchange))
      throw new ProtocolError(
        'resource_not_found',
        'This is a page for browsers. GET /openapi.json is what it shows.',
      );
    leadTo(exchange, '/docs/');
  });
  addRoute(routes, READ, '/docs/', async (exchange) => files.send(exchange, 'index.html'));
  addRoute(routes, READ, '/docs/assets/{file}', async (exchange, { file }) =>
    files.send(exchange, `assets/${file}`),
  );
}

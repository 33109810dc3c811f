/* global SwaggerUIBundle */
const HEADER = 'Harn-Agents-Protocol-Version';
const asked = new URLSearchParams(location.search).get('version');

/** Shows the document of a version; without one that which the gateway describes by itself. Calls are those of the reader's key. */
function show(version) {
  SwaggerUIBundle({
    url: '../openapi.json',
    dom_id: '#api',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    requestInterceptor(request) {
      if (request.loadSpec && version !== null) request.headers[HEADER] = version;
      return request;
    },
  });
}

async function offerVersions() {
  const { current_version: current, supported_versions: supported } = await (await fetch('../v1')).json();
  const select = document.querySelector('#version');
  for (const version of supported)
    select.add(new Option(version, version, false, version === (asked ?? current)));
  select.addEventListener('change', () => {
    location.search = new URLSearchParams({ version: select.value });
  });
}

show(asked);
offerVersions();

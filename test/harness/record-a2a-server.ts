import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { FACE_STORIES, RECORDED_CLIENTS } from '../interop/face-stories.ts';
import { authorizedFetch } from './a2a-client.ts';
import { recordingFetch } from './face-exchanges.ts';
import { startTestGateway } from './gateway.ts';
import { startSampleAgent } from './peers/sample-agent.ts';

/**
 * Writes fixtures/wire/a2a-face/<client>-<story>.ndjson: what real clients send to the face, and what it answers, one exchange
 * a line. A recording that exists is never rewritten. Run in the root: npm run build && node dist/test/harness/record-a2a-server.js
 */
const FIXTURES = 'fixtures/wire/a2a-face';

mkdirSync(FIXTURES, { recursive: true });
for (const [clientName, connect] of Object.entries(RECORDED_CLIENTS)) {
  for (const [story, play] of Object.entries(FACE_STORIES)) {
    const file = `${FIXTURES}/${clientName}-${story}.ndjson`;
    if (existsSync(file)) continue;
    const agent = await startSampleAgent();
    const gateway = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] } },
    });
    const { recording, exchanges } = recordingFetch(authorizedFetch(gateway), gateway.url);
    await play(await connect(gateway.url, recording));
    const lines = (await exchanges()).map((exchange) => `${JSON.stringify(exchange)}\n`);
    writeFileSync(file, lines.join(''));
    await gateway.close();
    await agent.close();
  }
}

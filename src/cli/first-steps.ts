import { resolve } from 'node:path';
import { CURRENT_VERSION, VERSION_HEADER } from '../protocol/version.ts';
import { DEFAULT_DATA } from './client.ts';

/** What a new user can paste next: submit a task, follow its events, look at the card. */
export function firstSteps(facts: {
  url: string;
  freshKey: string | undefined;
  keyFile: string | undefined;
  /** Where the gateway keeps its data; said where commands would not find it by themselves. */
  data: string;
}): string {
  const { url, freshKey, keyFile, data } = facts;
  const key = keyFile === undefined ? '$HARN_GATEWAY_KEY' : `$(cat ${shellWord(keyFile)})`;
  const headers = `-H "Authorization: Bearer ${key}" -H "${VERSION_HEADER}: ${CURRENT_VERSION}"`;
  const json = '-H "Content-Type: application/json"';
  const lines = [
    '',
    `harn-gateway serves on ${url}`,
    ...(freshKey === undefined ? [] : ['', `Development key, shown once: ${freshKey}`]),
    ...(keyFile === undefined ? [] : [`It is kept in ${keyFile}.`]),
    '',
    '1. Submit a task:',
    `   S=$(curl -s ${url}/v1/sessions ${headers} ${json} -d '{"workspace_id":"workspace_default"}' | sed 's/.*"id":"\\(session_[^"]*\\)".*/\\1/')`,
    `   T=$(curl -s ${url}/v1/sessions/$S/tasks ${headers} ${json} -d '{"input":{"role":"user","parts":[{"type":"text","text":"stream 3","visibility":"public"}]}}' | sed 's/.*"id":"\\(task_[^"]*\\)".*/\\1/'); echo $T`,
    '2. Follow its events:',
    `   curl -sN ${url}/v1/tasks/$T/stream ${headers}`,
    '3. Look at the card:',
    `   curl -s ${url}/v1/agent-card`,
    '',
    `Without curl: npx harn-gateway task "stream 3" --follow${isDefault(data) ? '' : ` --data ${shellWord(data)}`}`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function isDefault(data: string): boolean {
  return resolve(data) === resolve(DEFAULT_DATA);
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

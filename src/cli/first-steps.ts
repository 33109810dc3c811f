import { resolve } from 'node:path';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import { DEFAULT_DATA } from './client.ts';
import { commandLine } from './invocation.ts';

export interface FirstStepFacts {
  url: string;
  /** The development key, where it was made just now. */
  freshKey: string | undefined;
  /** The file of the development key; undefined where there is none. */
  keyFile: string | undefined;
  /** Link to the console, which signs in by itself where a key is at hand; undefined where it is not served. */
  console: string | undefined;
  /** Where the gateway keeps its data; said where commands would not find it by themselves. */
  data: string;
  /** Where tasks go that name no route; undefined where they go nowhere. */
  defaultRoute: string | undefined;
}

/** What a new user can paste next: submit a task that the agent can do, follow its events, look at the card. */
export function firstSteps(facts: FirstStepFacts): string {
  const { url, keyFile } = facts;
  const key = keyFile === undefined ? '$HARN_GATEWAY_KEY' : `$(cat ${shellWord(keyFile)})`;
  const headers = `-H "Authorization: Bearer ${key}" -H "${VERSION_HEADER}: ${DEFAULT_VERSION}"`;
  const lines = [
    '',
    `harn-gateway serves on ${url}`,
    ...keyLines(facts),
    ...consoleLines(facts),
    '',
    ...steps(facts, headers),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function consoleLines({ console: link }: FirstStepFacts): string[] {
  if (link === undefined) return [];
  const lasts = link.includes('#code=') ? ' (signs in once, within a minute)' : '';
  return ['', `Console${lasts}: ${link}`];
}

function keyLines({ freshKey, keyFile }: FirstStepFacts): string[] {
  if (keyFile === undefined)
    return [
      '',
      'Set HARN_GATEWAY_KEY to one of your keys (auth.api_keys), or to an access token of your issuer (auth.oauth).',
    ];
  if (freshKey === undefined) return [`The development key is kept in ${keyFile}.`];
  return ['', `Development key, shown once: ${freshKey}`, `It is kept in ${keyFile}.`];
}

function steps(facts: FirstStepFacts, headers: string): string[] {
  const text = textFor(facts.defaultRoute);
  return text === undefined ? toolSteps(facts, headers) : agentSteps(facts, headers, text);
}

/** What the agent of the route can do: the sample knows its words, any other one can be asked. */
function textFor(route: string | undefined): string | undefined {
  if (route === undefined || route.startsWith('mcp:')) return undefined;
  return route === 'a2a:sample' ? 'stream 3' : 'What can you do?';
}

function agentSteps({ url, data, defaultRoute }: FirstStepFacts, headers: string, text: string): string[] {
  const json = '-H "Content-Type: application/json"';
  const input = { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] };
  return [
    `1. Submit a task; it goes to ${defaultRoute}:`,
    `   S=$(curl -s ${url}/v1/sessions ${headers} ${json} -d '{"workspace_id":"workspace_default"}' | sed 's/.*"id":"\\(session_[^"]*\\)".*/\\1/')`,
    `   T=$(curl -s ${url}/v1/sessions/$S/tasks ${headers} ${json} -d '${JSON.stringify({ input })}' | sed 's/.*"id":"\\(task_[^"]*\\)".*/\\1/'); echo $T`,
    '2. Follow its events:',
    `   curl -sN ${url}/v1/tasks/$T/stream ${headers}`,
    '3. Look at the card:',
    `   curl -s ${url}/v1/agent-card`,
    '',
    `Without curl: ${commandLine(`task "${text}" --follow`)}${dataOption(data)}`,
  ];
}

/** A server of tools takes no plain text: a task names the tool. */
function toolSteps({ url, data }: FirstStepFacts, headers: string): string[] {
  return [
    'No agent takes tasks that name no route; set routing.default, or name one: skill:<id> runs a tool with the input as its',
    'arguments.',
    '',
    '1. Look at the tools, each a Skill:',
    `   curl -s ${url}/v1/skills ${headers}`,
    '2. Look at the card:',
    `   curl -s ${url}/v1/agent-card`,
    '',
    `Without curl: ${commandLine('agents')}${dataOption(data)}`,
  ];
}

function dataOption(data: string): string {
  return resolve(data) === resolve(DEFAULT_DATA) ? '' : ` --data ${shellWord(data)}`;
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type FindKeys, keysOfSet } from '#cards/trusted-keys.ts';
import { verifyCard } from '#cards/verify-card.ts';
import { verifyHarnCard } from '#cards/verify-harn-card.ts';
import { type ClientOptions, readPublic, withGatewayOption } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { printItems } from '#cli/table.ts';
import { systemClock } from '#compose/compose.ts';
import { parseStrictText } from '#json/strict-parse.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Columns } from '#resources/room.ts';
import type { CardVerdict } from './schema.ts';

interface CardOptions extends ClientOptions {
  agent?: string;
}

interface VerifyOptions extends CardOptions {
  jwks?: string;
  json?: boolean;
}

const HARN_CARD = '/v1/agent-card';
const WELL_KNOWN = '/.well-known/agent-card.json';
const KEY_SET = '/.well-known/jwks.json';

export function cardCommand(): Command {
  const agent = ['--agent <id>', 'the A2A card of this agent (default: the card of the gateway)'] as const;
  const show = new Command('show').description('Print the signed card that clients read.').option(...agent);
  const verify = new Command('verify')
    .argument(
      '[file]',
      'a file that holds a HarnAgentCard or an A2A card (default: the cards of the gateway)',
    )
    .description('Verify the signatures of cards; exit code 1 unless each is verified.')
    .option(...agent)
    .option('--jwks <file>', 'file with the public keys to trust (default: those the gateway publishes)')
    .option('--json', 'print one JSON object per card');
  return new Command('card')
    .description('Cards that describe the agents.')
    .addCommand(withGatewayOption(show).action(showCard))
    .addCommand(withGatewayOption(verify).action(verifyCards));
}

async function showCard(options: CardOptions): Promise<void> {
  const card = await readPublic(options, options.agent === undefined ? HARN_CARD : pathOf(options.agent));
  process.stdout.write(`${JSON.stringify(card, null, 2)}\n`);
}

async function verifyCards(file: string | undefined, options: VerifyOptions): Promise<void> {
  if (file !== undefined && options.jwks === undefined)
    throw new CliError('Name the keys to trust with --jwks: a card does not vouch for itself.', EXIT.usage);
  const keys = keysOf(
    options.jwks === undefined ? await readPublic(options, KEY_SET) : readJson(options.jwks),
  );
  const findKeys: FindKeys = async () => ({ from: options.jwks === undefined ? 'origin' : 'pinned', keys });
  const cards = file === undefined ? await servedCards(options) : [requiredObject(readJson(file), file)];
  const verdicts = async function* () {
    for (const card of cards) {
      for await (const verdict of verdictsOf(card, findKeys)) {
        if (verdict.status !== 'verified') process.exitCode = EXIT.failed;
        yield verdict;
      }
    }
  };
  await printItems(verdicts(), options.json, COLUMNS);
}

async function servedCards(options: CardOptions): Promise<JsonObject[]> {
  const paths = options.agent === undefined ? [HARN_CARD, WELL_KNOWN] : [pathOf(options.agent)];
  return Promise.all(paths.map(async (path) => requiredObject(await readPublic(options, path), path)));
}

type NamedVerdict = CardVerdict & { card: string; name: string };

/** A HarnAgentCard and the A2A card in it are signed each for itself. */
async function* verdictsOf(card: JsonObject, findKeys: FindKeys): AsyncGenerator<NamedVerdict> {
  const { object, a2a_card: nested } = card;
  const name = typeof card['name'] === 'string' ? card['name'] : '';
  const nowMs = systemClock.now();
  if (object !== 'harn_agent_card' && object !== 'agent_card') {
    yield { card: 'a2a_card', name, ...(await verifyCard(card, findKeys, nowMs)) };
    return;
  }
  yield { card: object, name, ...(await verifyHarnCard(card, findKeys, nowMs)) };
  const inner = requiredObject(nested ?? null, 'a2a_card');
  yield { card: `${object}.a2a_card`, name, ...(await verifyCard(inner, findKeys, nowMs)) };
}

const COLUMNS: Columns<NamedVerdict> = {
  CARD: ({ card }) => card,
  NAME: ({ name }) => name,
  STATUS: ({ status }) => status,
  KEY: ({ key_id }) => key_id ?? '-',
  COVERS: ({ covers }) => covers ?? '-',
  REASON: ({ reason }) => reason,
};

const pathOf = (agent: string) => `/a2a/${encodeURIComponent(agent)}${WELL_KNOWN}`;

/** Strictly: a member that is there twice would be verified in one reading and believed in the other. */
function readJson(file: string): JsonValue {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new CliError(`The file ${file} cannot be read.`, EXIT.usage);
  }
  try {
    return parseStrictText(text);
  } catch {
    throw new CliError(`The file ${file} holds no clean JSON.`, EXIT.failed);
  }
}

function keysOf(value: JsonValue): JsonValue[] {
  const keys = keysOfSet(value);
  if (keys !== undefined) return keys;
  throw new CliError('The key set has no list "keys". Save one from /.well-known/jwks.json.', EXIT.usage);
}

function requiredObject(value: JsonValue, what: string): JsonObject {
  if (isObject(value)) return value;
  throw new CliError(`${what} is no JSON object.`);
}

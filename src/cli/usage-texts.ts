import type { Command } from 'commander';
import { EXIT } from './exit-codes.ts';

/** What each exit code means, as every help says it. */
const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  fine: 'fine',
  failed: 'a finding, a failure, or a refusal of the gateway',
  usage: 'wrong usage, or a faulty configuration',
  cannotOpenData: 'the data cannot be opened',
  dataInUse: 'the data is in use by a running gateway',
  newerData: 'the data was written by a newer version',
};

/** Commands that open the data directory themselves, by their first word. */
const OPENS_DATA: ReadonlySet<string> = new Set(['serve', 'log', 'keys', 'acp', 'mcp', 'restore']);

/** One example or more for each command that does not bring its own. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '': ['serve', 'task "stream 3" --follow', 'session export session_01... --out run.bundle.json'],
  serve: ['serve', 'serve --config my-gateway.yaml --port 8443', 'serve --data /var/lib/harn --port 0'],
  check: ['check', 'check --config my-gateway.yaml --json', 'check --print-example > my-gateway.yaml'],
  doctor: ['doctor', 'doctor --config my-gateway.yaml --data /var/lib/harn --json'],
  reload: ['reload', 'reload --url https://gateway.example.com --key-file ~/.operator-key --json'],
  backup: [
    'backup /backups/harn',
    'backup /backups/harn --with-keys --recipient backup.pub.pem',
    'backup - | ssh vault "cat > harn.backup"',
  ],
  restore: [
    'restore /backups/harn --data /var/lib/harn --accept-truncation "disk of host 7 died"',
    'restore - --data ./data --passphrase-file pass.txt --accept-truncation "moved" < harn.backup',
  ],
  acp: ['acp', 'acp --url https://gateway.example.com --key-file ~/.harn-key'],
  mcp: ['mcp', 'mcp --url https://gateway.example.com --key-file ~/.harn-key'],
  status: ['status', 'status --json'],
  top: ['top', 'top --interval 5', 'top --once --json', 'top --json > looks.ndjson'],
  'task list': ['task list', 'task list --status FAILED --limit 5 --json'],
  'task get': ['task get task_01...', 'task get task_01... --json'],
  'task cancel': ['task cancel task_01...'],
  'agents list': ['agents list', 'agents list --json'],
  'agents get': ['agents get sample', 'agents get acp:coder --json'],
  'artifact list': ['artifact list', 'artifact list --task task_01... --json'],
  'artifact get': [
    'artifact get artifact_01... > answer.txt',
    'artifact get artifact_01... --out report.pdf',
  ],
  'session list': ['session list', 'session list --workspace workspace_default --limit 5 --json'],
  'session get': ['session get session_01...', 'session get session_01... --json'],
  'session show': ['session show session_01...', 'session show session_01... --json'],
  'session close': ['session close session_01...'],
  trust: ['trust export workspace_default --out trust.json', 'trust verify trust.json --jwks jwks.json'],
  'trust list': ['trust list', 'trust list --workspace workspace_default --json'],
  'trust export': ['trust export workspace_default --out trust.json'],
  'trust verify': ['trust verify trust.json --jwks jwks.json', 'trust verify theirs.ndjson --json'],
  'audit export': ['audit export --since 2026-11-01 > audit.ndjson', 'audit export --follow'],
  'session erase': ['session erase session_01... --rule "GDPR Art. 17" --yes'],
  'erasure list': ['erasure list', 'erasure list --workspace workspace_default --json'],
  'erasure actor': ['erasure actor ada --rule "GDPR Art. 17" --yes'],
  'erasure get': ['erasure get erasure_01... --json'],
  'holds add': ['holds add "case 17" --session session_01... --reason "asked for by the auditors"'],
  'holds list': ['holds list', 'holds list --session session_01... --json'],
  'holds get': ['holds get hold_01... --json'],
  'holds release': ['holds release hold_01... --reason "the case is closed"'],
  'permission list': [
    'permission list',
    'permission list --task task_01... --json',
    'permission list --remembered',
  ],
  'permission forget': ['permission forget permission_request_01...'],
  'permission respond': [
    'permission respond permission_request_01... --approve',
    'permission respond permission_request_01... --answer "blue"',
  ],
  'persona list': ['persona list', 'persona list --json'],
  'persona get': ['persona get persona_01... --json'],
  'connector list': ['connector list', 'connector list --json'],
  'connector get': ['connector get github --json'],
  log: ['log check', 'log accept-truncation', 'log accept-restore', 'log migrate', 'log move'],
  'log check': ['log check', 'log check --data /var/lib/harn --json', 'log check --data /backups/harn'],
  'log accept-truncation': [
    'log accept-truncation --data /var/lib/harn --reason "bad sector"',
    'log accept-truncation --config gateway.yaml --partition 0002',
  ],
  'log accept-restore': [
    'log accept-restore --data /var/lib/harn',
    'log accept-restore --config gateway.yaml --partition 0002',
  ],
  'log migrate': ['log migrate', 'log migrate --data /var/lib/harn --json'],
  'log move': ['log move --to jetstream --config gateway.yaml', 'log move --to leveldb --json'],
  'keys list': ['keys list', 'keys list --offline --data ./data --json'],
  'keys rotate': ['keys rotate', 'keys rotate --offline --data ./data'],
  'keys revoke': ['keys revoke kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'],
  'api-keys create': [
    'api-keys create --id ci --actor ci-bot --scope tasks:write tasks:read',
    'api-keys create --row --id ci --actor ci-bot',
  ],
  'api-keys list': ['api-keys list', 'api-keys list --json'],
  'api-keys rotate': ['api-keys rotate api_key_01... --overlap 3600'],
  'api-keys revoke': ['api-keys revoke api_key_01...'],
  'receipt collect': ['receipt collect task_01... --earlier head.json --out task.receipts.json'],
  receipt: ['receipt verify receipt_01...', 'receipt verify run.bundle.json'],
  card: ['card show', 'card verify --jwks keys.json'],
  'card show': ['card show', 'card show --agent sample'],
  'card verify': [
    'card verify --url http://127.0.0.1:8080 --jwks keys.json',
    'card verify card.json --jwks keys.json',
  ],
  'vault key': ['vault key'],
  'vault create': ['vault create shop.vault'],
  'vault put': ['vault put shop.vault db-login < login.txt'],
  'vault remove': ['vault remove shop.vault db-login'],
  'vault list': ['vault list shop.vault', 'vault list shop.vault --json'],
  'halt create': ['halt create a2a:shop --reason "It orders in a loop."'],
  'halt list': ['halt list', 'halt list --all --json'],
  'halt release': ['halt release halt_01... --reason "The shop has mended it."'],
  openapi: ['openapi > openapi.json'],
  completion: [
    'completion bash > ~/.local/share/bash-completion/completions/harn-gateway',
    'completion zsh > ~/.zfunc/_harn-gateway',
    'completion fish > ~/.config/fish/completions/harn-gateway.fish',
  ],
};

/** Adds examples and exit codes to the help of every command below this one. */
export function withUsageTexts(command: Command, path = ''): Command {
  for (const below of command.commands) withUsageTexts(below, `${path} ${below.name()}`.trim());
  const examples = EXAMPLES[path];
  if (examples !== undefined)
    command.addHelpText(
      'after',
      `\nExamples:\n${examples.map((line) => `  harn-gateway ${line}`).join('\n')}`,
    );
  if (path === '') return command.addHelpText('after', exitCodes(Object.keys(MEANINGS)));
  const runsItself = command.registeredArguments.length > 0;
  if (command.commands.length > 0 && !runsItself) return command;
  const opensData = OPENS_DATA.has(path.split(' ')[0] ?? '');
  return command.addHelpText(
    'after',
    exitCodes(opensData ? Object.keys(MEANINGS) : ['fine', 'failed', 'usage']),
  );
}

function exitCodes(names: readonly string[]): string {
  const rows = Object.entries(MEANINGS).filter(([name]) => names.includes(name));
  const lines = rows.map(([name, meaning]) => `  ${EXIT[name as keyof typeof EXIT]}  ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}`;
}

import type { RunRule, SecretRule } from './secret-rule.ts';

/** What is done otherwise with a rule: why it is not run, or what of it is replaced so that its match begins at the keyword. */
export type Adjustment = { leftOut: string } | (RunRule & { rule?: Partial<SecretRule> });

const PUBLIC = 'an identifier that its platform shows to everybody: hiding it would break links and calls';
const OF_A_FILE = 'is meant for files of one name only; in other text it finds what is no secret';

const NEW_RELIC = ['new-relic', 'newrelic', 'new_relic'];

/** By the id of the rule. Source of the rules: `gitleaks.ts`. */
export const ADJUSTMENTS: Readonly<Record<string, Adjustment>> = {
  'generic-api-key': {
    leftOut: 'secret_assignment finds values of secret names, and leaves page tokens and code alone',
  },
  'private-key': { leftOut: 'private_key finds keys that are cut off, or written in one line, too' },
  'openai-api-key': { leftOut: 'openai_key finds every key that begins with sk-' },
  'curl-auth-header': { leftOut: 'bearer_token and secret_assignment find headers, with and without curl' },
  'sidekiq-sensitive-url': { leftOut: 'url_userinfo hides the user of every URL' },
  'pkcs12-file': { leftOut: 'is about a file by its name; it has no expression' },
  'kubernetes-secret-yaml': { leftOut: OF_A_FILE },
  'nuget-config-password': { leftOut: OF_A_FILE },
  'freemius-secret-key': { leftOut: OF_A_FILE },
  'hashicorp-tf-password': { leftOut: OF_A_FILE },
  'adobe-client-id': { leftOut: PUBLIC },
  'asana-client-id': { leftOut: PUBLIC },
  'bitbucket-client-id': { leftOut: PUBLIC },
  'discord-client-id': { leftOut: PUBLIC },
  'flutterwave-public-key': { leftOut: PUBLIC },
  'linkedin-client-id': { leftOut: PUBLIC },
  'lob-pub-api-key': { leftOut: PUBLIC },
  'looker-client-id': { leftOut: PUBLIC },
  'mailgun-pub-key': { leftOut: PUBLIC },
  'mapbox-api-token': { leftOut: PUBLIC },
  'messagebird-client-id': { leftOut: PUBLIC },
  'new-relic-user-api-id': { leftOut: PUBLIC },
  'plaid-client-id': { leftOut: PUBLIC },
  'sendbird-access-id': { leftOut: PUBLIC },
  'sumologic-access-id': { leftOut: PUBLIC },

  'airtable-personnal-access-token': { rule: { keywords: ['pat'] } },
  // Its tokens, which stand without a name as well, have a rule of their own among the further ones.
  'atlassian-api-token': { rule: { keywords: ['atlassian', 'confluence', 'jira'] } },
  'azure-ad-client-secret': {
    rule: { keywords: ['~'] },
    before: 6,
    mayFollowWord: true,
    gate: String.raw`(?<=\dQ)~[\w.~-]{31}`,
  },
  'cloudflare-origin-ca-key': { rule: { keywords: ['v1.0-'] } },
  'curl-auth-user': {
    rule: {
      regex: String.raw`curl\b[^\n\r]{0,200}?[ \t](?:-u|--user)(?:=|[ \t]{1,5})["']?([\w@.-]{1,64}:[^\s"'$<{\[*]{3,128})`,
    },
    gate: String.raw`curl\b[^\n\r]{0,200}?[ \t](?:-u|--user)[ \t=]`,
    anywhere: ['-u', 'curl'],
    harmless: /:(?:change(?:it|me)|pass(?:word)?|pwd|test|token|x+)$/i,
  },
  'facebook-access-token': {
    rule: { regex: String.raw`(?i)facebook[^\d]{0,60}(\d{15,16}[|%][0-9a-z_-]{27,40})` },
    gate: String.raw`facebook\D{0,60}\d{15}`,
  },
  'gocardless-api-token': { rule: { keywords: ['gocardless'] } },
  'hashicorp-tf-api-token': { before: 15 },
  'lob-api-key': { rule: { keywords: ['lob'] } },
  'maxmind-license-key': { before: 36, gate: '_mmk' },
  'microsoft-teams-webhook': {
    rule: {
      regex: String.raw`webhook\.office\.com/(webhookb2/[a-z0-9]{8}-([a-z0-9]{4}-){3}[a-z0-9]{12}@[a-z0-9]{8}-([a-z0-9]{4}-){3}[a-z0-9]{12}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9]{8}-([a-z0-9]{4}-){3}[a-z0-9]{12})`,
      keywords: ['webhook.office.com'],
    },
  },
  'new-relic-browser-api-token': { rule: { keywords: NEW_RELIC } },
  'new-relic-insert-key': { rule: { keywords: NEW_RELIC } },
  'new-relic-user-api-key': { rule: { keywords: NEW_RELIC } },
  'sourcegraph-access-token': {
    rule: {
      regex: String.raw`(?i)\b(sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40})\b`,
      keywords: ['sgp_'],
    },
  },
  'typeform-api-token': { rule: { keywords: ['typeform'] } },
  'vault-service-token': { harmless: /^s\.[A-Za-z]{24}$/ },
};

import type { RunRule, SecretRule } from './secret-rule.ts';

/**
 * Shapes of secrets that gitleaks does not know, or only beside the name of their platform, as those who issue them document
 * them.
 */
export const FURTHER_RULES: readonly (SecretRule & RunRule)[] = [
  // Keys of this gateway, also those that it knows by their hash alone.
  {
    id: 'harn-api-key',
    regex: String.raw`\b(harn_(?:live|dev|test)_[A-Za-z0-9._-]{0,128}_[A-Za-z0-9_-]{32})`,
    keywords: ['harn_live_', 'harn_dev_', 'harn_test_'],
  },

  // Models and what runs them.
  { id: 'groq-api-key', regex: String.raw`\b(gsk_[A-Za-z0-9]{40,64})\b`, keywords: ['gsk_'] },
  { id: 'xai-api-key', regex: String.raw`\b(xai-[A-Za-z0-9]{60,100})\b`, keywords: ['xai-'] },
  { id: 'replicate-api-token', regex: String.raw`\b(r8_[A-Za-z0-9]{37,40})\b`, keywords: ['r8_'] },
  { id: 'fireworks-api-key', regex: String.raw`\b(fw_[A-Za-z0-9]{20,48})\b`, keywords: ['fw_'], entropy: 3 },
  { id: 'nvidia-api-key', regex: String.raw`\b(nvapi-[A-Za-z0-9_-]{60,80})`, keywords: ['nvapi-'] },
  {
    id: 'voyage-api-key',
    regex: String.raw`\b(pa-[A-Za-z0-9_-]{43})(?:[^A-Za-z0-9_-]|\z)`,
    keywords: ['pa-'],
    entropy: 4,
  },
  {
    id: 'pinecone-api-key',
    regex: String.raw`\b(pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,70})`,
    keywords: ['pcsk_'],
  },
  { id: 'tavily-api-key', regex: String.raw`\b(tvly-[A-Za-z0-9-]{20,64})`, keywords: ['tvly-'], entropy: 3 },
  {
    id: 'langsmith-api-key',
    regex: String.raw`\b(lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10})`,
    keywords: ['lsv2_'],
  },
  { id: 'e2b-api-key', regex: String.raw`\b(e2b_[a-f0-9]{40})\b`, keywords: ['e2b_'] },
  { id: 'elevenlabs-api-key', regex: String.raw`\b(sk_[a-f0-9]{48})\b`, keywords: ['sk_'] },
  { id: 'jina-api-key', regex: String.raw`\b(jina_[A-Za-z0-9_-]{40,80})`, keywords: ['jina_'] },

  // Clouds, hosting and data.
  {
    id: 'google-oauth-client-secret',
    regex: String.raw`\b(GOCSPX-[A-Za-z0-9_-]{28})`,
    keywords: ['gocspx-'],
  },
  {
    id: 'google-oauth-access-token',
    regex: String.raw`\b(ya29\.[A-Za-z0-9_-]{30,900})`,
    keywords: ['ya29.'],
  },
  {
    id: 'google-oauth-refresh-token',
    regex: String.raw`(1//0[A-Za-z0-9_-]{40,200})`,
    keywords: ['1//0'],
    entropy: 4,
    gate: String.raw`1//0[\w-]{40}`,
  },
  {
    id: 'firebase-server-key',
    regex: String.raw`\b(AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{140})`,
    keywords: ['aaaa'],
  },
  {
    id: 'azure-storage-key',
    regex: String.raw`\b(?i:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{42,86}={1,2})`,
    keywords: ['accountkey=', 'sharedaccesskey='],
  },
  { id: 'supabase-access-token', regex: String.raw`\b(sbp_[a-f0-9]{40,64})\b`, keywords: ['sbp_'] },
  {
    id: 'supabase-secret-key',
    regex: String.raw`\b(sb_secret_[A-Za-z0-9_-]{20,64})`,
    keywords: ['sb_secret_'],
  },
  { id: 'neon-api-key', regex: String.raw`\b(napi_[a-z0-9]{60,70})\b`, keywords: ['napi_'] },
  {
    id: 'docker-access-token',
    regex: String.raw`\b(dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,40})`,
    keywords: ['dckr_'],
  },
  { id: 'netlify-personal-token', regex: String.raw`\b(nfp_[A-Za-z0-9]{36,40})\b`, keywords: ['nfp_'] },
  {
    id: 'vercel-access-token',
    regex: String.raw`\b(vc[pkcr]_[A-Za-z0-9]{24,64})\b`,
    keywords: ['vcp_', 'vck_', 'vcc_', 'vcr_'],
    entropy: 3,
  },
  { id: 'render-api-key', regex: String.raw`\b(rnd_[A-Za-z0-9]{28,40})\b`, keywords: ['rnd_'], entropy: 3 },
  {
    id: 'tailscale-key',
    regex: String.raw`\b(tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{16,64})`,
    keywords: ['tskey-'],
  },
  { id: 'aiven-token', regex: String.raw`\b(AVNS_[A-Za-z0-9_-]{19,40})`, keywords: ['avns_'] },

  // Code, packages and builds.
  {
    id: 'bitbucket-app-password',
    regex: String.raw`\b(ATBB[A-Za-z0-9]{32})\b`,
    keywords: ['atbb'],
    entropy: 3,
  },
  {
    id: 'atlassian-access-token',
    regex: String.raw`\b(AT(?:ATT|CTT)3[A-Za-z0-9_=-]{100,300})`,
    keywords: ['atatt3', 'atctt3'],
  },
  {
    id: 'circleci-token',
    regex: String.raw`\b(CCI(?:PAT|PRJ)_[A-Za-z0-9]{16,32}_[a-f0-9]{40})`,
    keywords: ['ccipat_', 'cciprj_'],
  },
  {
    id: 'buildkite-token',
    regex: String.raw`\b(bk(?:ua|aj|ct|at)_[a-f0-9]{40})\b`,
    keywords: ['bkua_', 'bkaj_', 'bkct_', 'bkat_'],
  },
  { id: 'crates-io-token', regex: String.raw`\b(cio[A-Za-z0-9]{32})\b`, keywords: ['cio'], entropy: 3.5 },
  { id: 'nuget-api-key', regex: String.raw`\b(oy2[a-z0-9]{43})\b`, keywords: ['oy2'] },
  {
    id: 'figma-token',
    regex: String.raw`\b(fig[duo]r?_[A-Za-z0-9_-]{40,60})`,
    keywords: ['figd_', 'figu_', 'figo_', 'figur_', 'figor_'],
  },
  {
    id: 'doppler-token',
    regex: String.raw`\b(dp\.(?:st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44})\b`,
    keywords: ['dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
  },
  {
    id: 'npm-auth-token',
    regex: String.raw`_(?:authToken|auth)[ \t]{0,3}=[ \t]{0,3}["']?([A-Za-z0-9+/=_-]{16,})`,
    keywords: ['_auth'],
    gate: '_auth(?:Token)?[ \\t]{0,3}=',
  },

  // Messages, payments and people.
  {
    id: 'slack-session-token',
    regex: String.raw`\b(xox[cd]-[A-Za-z0-9%._/+=-]{20,512})`,
    keywords: ['xoxc-', 'xoxd-'],
  },
  {
    id: 'discord-bot-token',
    regex: String.raw`\b((?:M[Tjz]|N[DTjz]|O[DT])[A-Za-z\d_-]{22,26}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,38})(?:[^A-Za-z0-9_-]|\z)`,
    keywords: ['mt', 'mj', 'mz', 'nd', 'nt', 'nj', 'nz', 'od', 'ot'],
    gate: String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.`,
  },
  {
    id: 'discord-webhook',
    regex: String.raw`(?:discord|discordapp)\.com/api/(?:v\d{1,2}/)?webhooks/(\d{16,20}/[A-Za-z0-9_-]{60,80})`,
    keywords: ['discord.com/api', 'discordapp.com/api'],
    gate: 'discord',
  },
  {
    id: 'telegram-bot-token',
    regex: String.raw`\d{8}:(AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9_-]|\z)`,
    keywords: [':aa'],
    before: 8,
    mayFollowWord: true,
    gate: String.raw`:AA[\w-]{33}`,
  },
  {
    id: 'zapier-webhook',
    regex: String.raw`hooks\.zapier\.com/hooks/catch/(\d{4,12}/[A-Za-z0-9]{6,12})`,
    keywords: ['hooks.zapier.com'],
  },
  { id: 'stripe-webhook-secret', regex: String.raw`\b(whsec_[A-Za-z0-9+/=]{24,96})`, keywords: ['whsec_'] },
  { id: 'square-application-secret', regex: String.raw`\b(sq0csp-[A-Za-z0-9_-]{43})`, keywords: ['sq0csp-'] },
  {
    id: 'paypal-braintree-token',
    regex: String.raw`(access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32})`,
    keywords: ['access_token$'],
    gate: String.raw`access_token\$`,
  },
  { id: 'mailgun-api-key', regex: String.raw`\b(key-[a-f0-9]{32})\b`, keywords: ['key-'] },
  {
    id: 'mailchimp-key',
    regex: String.raw`\b([a-f0-9]{32}-us\d{1,2})\b`,
    keywords: ['-us'],
    before: 32,
    gate: String.raw`(?<=[a-f0-9]{32})-us\d`,
  },
  {
    id: 'hubspot-private-app-token',
    regex: String.raw`\b(pat-(?:na|eu|ap)\d-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12})`,
    keywords: ['pat-na', 'pat-eu', 'pat-ap'],
  },
  { id: 'notion-internal-token', regex: String.raw`\b(secret_[A-Za-z0-9]{43})\b`, keywords: ['secret_'] },
  {
    id: 'asana-access-token',
    regex: String.raw`\b([012]/\d{16}(?:/\d{16})?:[a-f0-9]{32})\b`,
    keywords: ['0/', '1/', '2/'],
    gate: String.raw`[012]/\d{16}`,
  },
  {
    id: 'linear-oauth-token',
    regex: String.raw`\b(lin_oauth_[A-Za-z0-9]{40,64})\b`,
    keywords: ['lin_oauth_'],
  },

  // Watching and reaching machines.
  {
    id: 'new-relic-key',
    regex: String.raw`\b(NR(?:AK|JS|II|RA)-[A-Za-z0-9-]{19,42})`,
    keywords: ['nrak-', 'nrjs-', 'nrii-', 'nrra-'],
    entropy: 3,
  },
  {
    id: 'honeycomb-api-key',
    regex: String.raw`\b(hc(?:aik|bik|xik|amk|xlk)_[A-Za-z0-9]{50,64})\b`,
    keywords: ['hcaik_', 'hcbik_', 'hcxik_', 'hcamk_', 'hcxlk_'],
  },
  {
    id: 'launchdarkly-key',
    regex: String.raw`\b((?:sdk|mob|api)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12})`,
    keywords: ['sdk-', 'mob-', 'api-'],
  },
  {
    id: 'putty-private-key',
    regex: String.raw`Private-Lines: \d{1,3}\r?\n((?:[A-Za-z0-9+/=]{1,64}\r?\n?){1,15})`,
    keywords: ['private-lines: '],
    gate: String.raw`Private-Lines: \d{1,3}\r?\n`,
    anywhere: ['Private-Lines: '],
  },
];

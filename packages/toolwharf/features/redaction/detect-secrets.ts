import type { Rule } from './detect.ts';

const word = '[A-Za-z0-9]';
const urlSafe = '[A-Za-z0-9_-]';
const base64 = '[A-Za-z0-9+/]';

/**
 * A token that begins with a known prefix. Every repetition in these patterns has an upper bound and follows fixed text, so that the
 * work is linear in the length of the text.
 */
function token(name: string, keyword: string | readonly string[], pattern: string): Rule {
  return {
    ...{ name, class: 'secret', keywords: [keyword].flat() },
    pattern: new RegExp(`(?<![A-Za-z0-9])(?:${pattern})(?![A-Za-z0-9])`, 'g'),
  };
}

/** Tokens of services, by the prefixes that the services give them so that they are recognised. */
const tokens: readonly Rule[] = [
  token('aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}'),
  token('google-api-key', 'AIza', `AIza${urlSafe}{35}`),
  token('google-oauth', ['GOCSPX-', 'ya29.'], `GOCSPX-${urlSafe}{28}|ya29\\.[A-Za-z0-9._-]{20,500}`),
  token('azure-client-secret', 'Q~', '[A-Za-z0-9~._-]{3}[0-9]Q~[A-Za-z0-9~._-]{31,34}'),
  token('github-token', ['gh', 'github_pat_'], `gh[pousr]_${word}{36,255}|github_pat_[A-Za-z0-9_]{36,255}`),
  token('gitlab-token', 'gl', `gl(?:pat|rt|ptt|dt|ft|soat|cbt|agent|imt|oas)-[A-Za-z0-9_.-]{20,100}`),
  token('npm-token', 'npm_', `npm_${word}{36}`),
  token('pypi-token', 'pypi-', `pypi-AgE${urlSafe}{50,500}`),
  token('rubygems-key', 'rubygems_', 'rubygems_[a-f0-9]{48}'),
  token('docker-token', 'dckr_', `dckr_(?:pat|oat)_${urlSafe}{24,60}`),
  token('slack-token', ['xox', 'xapp-'], `(?:xox[abeoprs]|xoxe\\.xox[bp]|xapp)-${urlSafe}{10,250}`),
  token(
    'slack-webhook',
    'hooks.slack.com/',
    'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,100}',
  ),
  token('discord-webhook', '/api/webhooks/', `discord(?:app)?\\.com/api/webhooks/[0-9]{16,20}/${urlSafe}{60,80}`),
  token('discord-token', '.', `[MNO]${urlSafe}{23,27}\\.${urlSafe}{6}\\.${urlSafe}{27,40}`),
  token('telegram-token', ':AA', `(?:bot)?[0-9]{8,10}:AA${urlSafe}{33}`),
  token('stripe-key', '_live_', `[sr]k_live_${word}{20,250}`),
  token('stripe-test-key', '_test_', `[sr]k_test_${word}{20,250}`),
  token('webhook-secret', 'whsec_', `whsec_[A-Za-z0-9+/=]{24,100}`),
  token('square-token', ['EAAA', 'sq0'], `EAAA${urlSafe}{56,60}|sq0(?:atp|csp)-${urlSafe}{22,43}`),
  token('shopify-token', 'shp', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}'),
  token('sendgrid-key', 'SG.', `SG\\.${urlSafe}{16,24}\\.${urlSafe}{40,50}`),
  token('mailgun-key', 'key-', 'key-[a-f0-9]{32}'),
  token('mailchimp-key', '-us', '[a-f0-9]{32}-us[0-9]{1,2}'),
  token('twilio-key', ['SK', 'AC'], '(?:SK|AC)[a-f0-9]{32}'),
  token('openai-key', 'sk-', `sk-(?:proj-|svcacct-|admin-|None-)?${urlSafe}{10,200}T3BlbkFJ${urlSafe}{10,200}`),
  token('anthropic-key', 'sk-ant-', `sk-ant-${urlSafe}{20,200}`),
  token(
    'model-api-key',
    ['sk-or-', 'pplx-', 'xai-', 'fw_', 'csk-'],
    `(?:sk-or-v1-|pplx-|xai-|fw_|csk-)${word}{24,100}`,
  ),
  token('hugging-face-token', ['hf_', 'api_org_'], `(?:hf|api_org)_[A-Za-z]{34}`),
  token('groq-key', 'gsk_', `gsk_${word}{40,60}`),
  token('replicate-token', 'r8_', `r8_${word}{37}`),
  token('linear-key', 'lin_', `lin_(?:api|oauth)_[A-Za-z0-9]{40,64}`),
  token('notion-token', ['ntn_', 'secret_'], `ntn_[0-9]{11}${word}{35}|secret_${word}{43}`),
  token('vault-token', ['hvs.', 'hvb.'], `hv[sb]\\.${urlSafe}{24,300}`),
  token('doppler-token', 'dp.', `dp\\.(?:pt|st|ct|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?${word}{40,44}`),
  token('databricks-token', 'dapi', 'dapi[a-f0-9]{32}(?:-[0-9])?'),
  token('digitalocean-token', '_v1_', 'do[opr]_v1_[a-f0-9]{64}'),
  token('heroku-key', 'HRKU-', `HRKU-AA${urlSafe}{58}`),
  token('fly-token', 'fm2_', `fm2_[A-Za-z0-9+/=_,-]{80,2000}`),
  token('grafana-token', ['glsa_', 'glc_', 'eyJrIjoi'], `glsa_${word}{32}_[a-fA-F0-9]{8}|glc_${base64}{32,400}={0,2}`),
  token('new-relic-key', 'NR', 'NR(?:AK|II|RA|JS)-[A-Za-z0-9-]{19,32}'),
  token('sentry-token', 'sntry', `sntrys_eyJ[A-Za-z0-9+/=]{20,400}_[A-Za-z0-9+/]{43}|sntryu_[a-f0-9]{64}`),
  token('figma-token', 'fig', `fig(?:d|oh|or)_[A-Za-z0-9_-]{40}`),
  token('tailscale-key', 'tskey-', `tskey-[a-z]{2,12}-${urlSafe}{10,80}`),
  token(
    '1password-token',
    ['ops_eyJ', 'A3-'],
    `ops_eyJ${base64}{100,2000}={0,3}|A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}`,
  ),
  token('atlassian-token', ['ATATT3', 'ATCTT3'], `AT(?:ATT|CTT)3${urlSafe}{100,300}=?[A-F0-9]{0,8}`),
  token('cloudflare-token', 'cf', `cf(?:at|ut|k)_${word}{40}[a-f0-9]{8}`),
  token('vercel-token', 'vc', `vc[aciprk]_${word}{24,60}`),
  token('clojars-token', 'CLOJARS_', 'CLOJARS_[a-z0-9]{60}'),
  token('age-key', 'AGE-SECRET-KEY-', 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),
  token('pulumi-token', 'pul-', 'pul-[a-f0-9]{40}'),
  token('terraform-token', '.atlasv1.', `${word}{14}\\.atlasv1\\.${urlSafe}{60,70}`),
  token('planetscale-token', 'pscale_', 'pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32,64}'),
  token('postman-key', 'PMAK-', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  token('dropbox-token', 'sl.', `sl\\.${urlSafe}{130,400}`),
  token('json-web-token', 'eyJ', `eyJ${urlSafe}{10,2000}\\.eyJ${urlSafe}{10,4000}\\.${urlSafe}{10,1000}`),
  {
    ...{ name: 'private-key', class: 'secret', keywords: ['PRIVATE KEY'] },
    // A body ends at the next line of dashes, so that a text with many beginnings is read once.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?/g,
    accepts: (text) => text.length > 80,
  },
];

/** Values that documents write in the place of a secret. */
const placeholder =
  /^(?:[x*.#_•-]+|<.*|\$.*|%.*|\{.*|\[.*|.*(?:\.\.\.|…).*|(?:your|my|the|some|example|sample|dummy|test|fake|placeholder|change|replace|insert|enter|todo|redacted|hidden|none|null|undefined|true|false|string|number|boolean|required|optional|password|passwd|secret|token)(?:[-_ ].*)?|[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)+(?:\[.*\])?)$/i;

/** Whether a text looks random: letters and digits, and few characters more than once. */
function looksRandom(text: string, minLength: number): boolean {
  return (
    text.length >= minLength &&
    /[0-9]/.test(text) &&
    /[A-Za-z]/.test(text) &&
    !placeholder.test(text) &&
    entropyOf(text) >= 2.8
  );
}

/** Whether a value in the place of a password can be one: words, names of variables and calls of functions are not. */
function canBePassword(text: string): boolean {
  return (
    text.length >= 6 &&
    !placeholder.test(text) &&
    !/^[A-Za-z]+[.,:;!?]?$|^[\w.]+\(|^[a-z]+(?:[-_.][a-z]+)+$/.test(text) &&
    !/^\d+$/.test(text)
  );
}

function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

const passwordLabel = '(?:(?<![A-Za-z])pass|pass(?:word|wd|phrase|code)|pwd)';
const secretLabel =
  '(?:secret[_-]?access[_-]?key|(?:api|auth|access|account|private|signing|encryption|master|service|license)[_-]?key|secret(?:[_-]?key)?|token|credentials?)';
/** What stands between a label and its value: `=`, `:`, `=>`, and quotes, also as they are escaped in JSON. */
const assignment = `(?:\\\\?["'])?[ \\t]{0,3}(?::=|=>|[=:])[ \\t]{0,3}(?:\\\\?["'\`])?`;
const value = `[^\\s"'\`<>\\\\,;&|(){}\\[\\]]`;

/** Labels of tokens that are no secrets: those of pages, and those of language models. */
const harmlessLabel =
  /(?:page|next|prev|cursor|continuation|sync|max|min|count|total|stop|bos|eos|pad|unk|csrf)[A-Za-z_-]{0,20}token["'\s:=\\]*$/i;

/** Secrets without a form of their own, recognised by the label before them. */
const labelled: readonly Rule[] = [
  {
    ...{ name: 'password', class: 'secret', group: 1 },
    pattern: new RegExp(`${passwordLabel}${assignment}(${value}{6,200})`, 'gid'),
    accepts: canBePassword,
  },
  {
    ...{ name: 'labelled-secret', class: 'secret', group: 1 },
    pattern: new RegExp(`${secretLabel}${assignment}(${value}{16,500})`, 'gid'),
    accepts: (text, before) => looksRandom(text, 16) && !harmlessLabel.test(before),
  },
  {
    ...{ name: 'authorization-header', class: 'secret', group: 1 },
    pattern: /(?<![A-Za-z])(?:basic|bearer|token)[ ]{1,3}([A-Za-z0-9+/=._~-]{16,4000})/dgi,
    accepts: (text) => looksRandom(text, 16),
  },
  {
    ...{ name: 'password-in-url', class: 'secret', keywords: ['://'], group: 1 },
    pattern: /:\/\/[^\s:@/"'<>]{0,100}:([^\s:@/"'<>]{3,200})@/dg,
    accepts: (text) => !placeholder.test(text),
  },
];

const memberLabel = new RegExp(`(?:${passwordLabel}|${secretLabel})$`, 'i');
const memberPassword = new RegExp(`${passwordLabel}$`, 'i');

/** The rule that says that a text is a secret because of the name of the member that has it. */
export function namedSecretRule(name: string, text: string): string | undefined {
  if (!memberLabel.test(name) || /\s/.test(text)) return undefined;
  if (memberPassword.test(name)) return canBePassword(text) ? 'password' : undefined;
  return looksRandom(text, 16) && !harmlessLabel.test(name) ? 'labelled-secret' : undefined;
}

export const secretRules: readonly Rule[] = [...tokens, ...labelled];

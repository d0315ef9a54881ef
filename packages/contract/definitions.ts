export const severities = ['high', 'medium', 'low'] as const;

export type Severity = (typeof severities)[number];

export const findingRules = [
  'hidden-characters',
  'look-alike-name',
  'excessive-length',
  'encoded-text',
  'overrides-instructions',
  'hides-from-user',
  'skips-approval',
  'wants-secrets',
  'commands-other-tools',
  'sends-data-out',
] as const;

export type FindingRule = (typeof findingRules)[number];

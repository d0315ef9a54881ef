import type { Profile, ProfileInput } from '../../api/client.ts';

type Approval = NonNullable<ProfileInput['approval']>;

/** A profile in the form. An empty choice or list of the approval uses the setting of the toolbox. */
export interface ProfileDraft {
  readonly name: string;
  readonly description: string;
  /** Undefined for all servers, also those that are added later. */
  readonly servers: readonly string[] | undefined;
  /** Undefined for all tools, also those that are added later. */
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
  readonly resources: readonly string[] | undefined;
  readonly prompts: readonly string[] | undefined;
  readonly skills: readonly string[] | undefined;
  readonly naming: NonNullable<ProfileInput['naming']> | '';
  readonly expose: NonNullable<ProfileInput['expose']> | '';
  readonly exposeBudget: string;
  readonly alwaysList: readonly string[];
  readonly maxInlineResultBytes: string;
  readonly mode: NonNullable<Approval['mode']> | '';
  readonly trustedTools: readonly string[];
  readonly ask: readonly string[];
  readonly never: readonly string[];
  readonly approvers: NonNullable<Approval['approvers']> | '';
  readonly reads: NonNullable<Approval['reads']> | '';
  readonly expires: string;
}

export const emptyDraft: ProfileDraft = {
  name: '',
  description: '',
  servers: undefined,
  allow: undefined,
  deny: [],
  resources: undefined,
  prompts: undefined,
  skills: undefined,
  naming: '',
  expose: '',
  exposeBudget: '',
  alwaysList: [],
  maxInlineResultBytes: '',
  mode: '',
  trustedTools: [],
  ask: [],
  never: [],
  approvers: '',
  reads: '',
  expires: '',
};

export function toDraft({ name, settings }: Profile): ProfileDraft {
  const {
    description = '',
    servers,
    allow,
    deny = [],
    resources,
    prompts,
    skills,
    naming = '',
    expose = '',
    exposeBudget,
    alwaysList = [],
    maxInlineResultBytes,
    approval = {},
  } = (settings ?? {}) as ProfileInput;
  const { mode = '', trustedTools = [], ask = [], deny: never = [], approvers = '', reads = '', expires } = approval;
  return {
    ...{ name, description, servers, allow, deny, resources, prompts, skills, naming },
    ...{ expose, alwaysList, exposeBudget: toText(exposeBudget) },
    maxInlineResultBytes: toText(maxInlineResultBytes),
    ...{ mode, trustedTools, ask, never, approvers, reads },
    expires: typeof expires === 'number' ? toDuration(expires) : (expires ?? ''),
  };
}

/** The body of the request without the name. The gateway validates it. */
export function toSettings(draft: ProfileDraft): ProfileInput {
  const { description, servers, allow, deny, resources, prompts, skills, naming } = draft;
  const approval = {
    mode: draft.mode || undefined,
    trustedTools: unlessEmpty(draft.trustedTools),
    ask: unlessEmpty(draft.ask),
    deny: unlessEmpty(draft.never),
    approvers: draft.approvers || undefined,
    reads: draft.reads || undefined,
    expires: draft.expires.trim() || undefined,
  };
  return {
    description: description.trim() || undefined,
    servers: servers && [...servers],
    allow: allow && [...allow],
    deny: unlessEmpty(deny),
    resources: resources && [...resources],
    prompts: prompts && [...prompts],
    skills: skills && [...skills],
    naming: naming || undefined,
    expose: draft.expose || undefined,
    exposeBudget: toNumber(draft.exposeBudget),
    alwaysList: unlessEmpty(draft.alwaysList),
    maxInlineResultBytes: toNumber(draft.maxInlineResultBytes),
    approval: Object.values(approval).some((value) => value !== undefined) ? approval : undefined,
  };
}

function toText(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function toNumber(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text);
}

export function isSameDraft(one: ProfileDraft, other: ProfileDraft): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** `600000` as `10m`. */
export function toDuration(ms: number): string {
  for (const [unit, size] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const)
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}

function unlessEmpty(items: readonly string[]): string[] | undefined {
  return items.length === 0 ? undefined : [...items];
}

interface PermissionFacts {
  /** What the permission allows, as a sentence without its subject: "Change servers". */
  readonly label: string;
  /** Permissions without which this one would be of no use. */
  readonly implies?: readonly string[];
}

/** Every permission. Each route names the one that it needs, and roles and keys are sets of them. */
const permissionFacts = {
  'tools.read': { label: 'See the servers, tools, resources and prompts of the own profile' },
  'calls.read': { label: 'See the own calls, approvals and statistics' },
  'assistants.read': { label: 'See assistants and models' },
  'accounts.read': { label: 'See the own accounts at servers' },
  'tools.call': { label: 'Call tools, read resources, and connect clients', implies: ['tools.read'] },
  'approvals.answer-own': { label: 'Answer approvals and questions in own conversations', implies: ['calls.read'] },
  'conversations.use': { label: 'Chat with assistants', implies: ['assistants.read'] },
  'accounts.connect': { label: 'Connect own accounts at servers', implies: ['accounts.read'] },
  'keys.own': { label: 'Create personal keys for the own clients' },
  'elevations.request': { label: 'Ask for a role for a limited time' },
  'calls.read-all': { label: 'See the calls and approvals of everyone', implies: ['calls.read', 'tools.read'] },
  'approvals.answer': {
    label: 'Answer approvals of calls of other people',
    implies: ['approvals.answer-own', 'calls.read-all'],
  },
  'calls.manage': { label: 'Cancel calls of everyone and read their results', implies: ['calls.read-all'] },
  'rules.write': {
    label: 'Answer approvals for everyone, and see and remove remembered answers',
    implies: ['approvals.answer'],
  },
  'servers.write': { label: 'Add, change, connect and remove servers', implies: ['tools.read'] },
  'servers.run-programs': { label: 'Add servers that run programs on the machine of the gateway' },
  'tools.write': { label: 'Switch tools on and off, and accept changed tools and skills', implies: ['tools.read'] },
  'profiles.use-all': { label: 'Use every profile, and see every server and tool', implies: ['tools.read'] },
  'profiles.write': { label: 'Add, change and remove profiles', implies: ['profiles.use-all'] },
  'scripts.write': { label: 'See, add, change and remove scripts', implies: ['tools.read'] },
  'assistants.write': { label: 'Add, change and remove assistants', implies: ['assistants.read'] },
  'providers.write': { label: 'Add, change and remove providers of models', implies: ['assistants.read'] },
  'requests.share': { label: 'Share saved requests with everyone' },
  'policy.read': { label: 'See and try policies and budgets' },
  'policy.write': { label: 'Add, change and remove rules of the policy', implies: ['policy.read'] },
  'traffic.read': { label: 'Record and read the messages of servers', implies: ['tools.read'] },
  'audit.read': { label: 'Read and verify the journal of administration', implies: ['calls.read-all'] },
  'settings.read': { label: 'See the configuration and the replicas' },
  'conversations.manage': { label: 'See, stop and delete conversations of everyone', implies: ['conversations.use'] },
  'accounts.manage': { label: 'See and disconnect accounts of everyone', implies: ['accounts.read'] },
  'keys.write': { label: 'Create and revoke keys of everyone', implies: ['keys.own'] },
  'users.write': { label: 'See, disable and remove people' },
  'roles.write': { label: 'Add, change and remove roles' },
  'roles.grant': { label: 'Grant other people a role for a limited time' },
  'plugins.manage': { label: 'Use the administration of plugins' },
} as const satisfies Readonly<Record<string, PermissionFacts>>;

export type Permission = keyof typeof permissionFacts;

export const permissionNames = Object.keys(permissionFacts) as [Permission, ...Permission[]];

/** What a permission allows. */
export function labelOf(permission: Permission): string {
  return permissionFacts[permission].label;
}

/** The permissions that one implies at once. */
export function impliedBy(permission: Permission): Permission[] {
  const { implies = [] }: PermissionFacts = permissionFacts[permission];
  return implies.filter(isPermission);
}

/** The permissions with those that they imply. */
export function withImplied(permissions: Iterable<string>): ReadonlySet<Permission> {
  const all = new Set<Permission>();
  const add = (name: string) => {
    if (!isPermission(name) || all.has(name)) return;
    all.add(name);
    const { implies = [] }: PermissionFacts = permissionFacts[name];
    for (const implied of implies) add(implied);
  };
  for (const name of permissions) add(name);
  return all;
}

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(permissionFacts, name);
}

const read = ['tools.read', 'calls.read', 'assistants.read', 'accounts.read'] as const;
const call = ['tools.call', 'approvals.answer-own', 'conversations.use', 'accounts.connect'] as const;
const member = [...read, ...call, 'keys.own', 'elevations.request'] as const;

/** Names for sets of permissions that keys and scopes of access tokens grant. */
export const rightSets = {
  read,
  call,
  admin: permissionNames,
} as const satisfies Readonly<Record<string, readonly Permission[]>>;

export type RightSet = keyof typeof rightSets;

export const rightSetNames = Object.keys(rightSets) as [RightSet, ...RightSet[]];

/** What the rights of a key can be: permissions, and names of sets of them. */
export type KeyRight = RightSet | Permission;

export const keyRights = [...rightSetNames, ...permissionNames] as const;

/** The permissions that rights grant. Unknown rights grant none. The sets of keys do not reach what they only imply. */
export function permissionsOf(rights: readonly string[]): ReadonlySet<Permission> {
  const named = rights.map((right) => (Object.hasOwn(rightSets, right) ? rightSets[right as RightSet] : [right]));
  return new Set(named.flat().filter(isPermission));
}

/** The permission a route requires; `public` needs no authentication. */
export type Right = 'public' | Permission;

interface RoleFacts {
  readonly title: string;
  readonly description: string;
  readonly permissions: readonly Permission[];
}

/** The roles that every gateway has. */
export const shippedRoles = {
  admin: {
    title: 'Administrator',
    description: 'Manages servers, people, keys and settings.',
    permissions: permissionNames,
  },
  approver: {
    title: 'Approver',
    description: 'Answers approvals of other people and reads all calls.',
    permissions: [...member, 'calls.read-all', 'approvals.answer'],
  },
  member: {
    title: 'Member',
    description: 'Uses tools, chats, and sees their own conversations and calls.',
    permissions: member,
  },
} as const satisfies Readonly<Record<string, RoleFacts>>;

export const shippedRoleNames = Object.keys(shippedRoles) as (keyof typeof shippedRoles)[];

/** Whether a route with this right is administration: members have no permission for it. */
export function isAdministration(right: Right): boolean {
  return right !== 'public' && !shippedRoles.member.permissions.some((permission) => permission === right);
}

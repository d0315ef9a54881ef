import type { Person, PluginCallParent, ReviewedCall } from '../../policy/review.ts';
import type { ConditionValues, ConditionVariable } from './cel/compile.ts';
import type { HistoryValues } from './history.ts';

/** A variable with what it stands for. The guide prints this table, and conditions are checked with it. */
export interface PolicyVariable extends ConditionVariable {
  readonly description: string;
  /** Known when tools are listed, so that rules with `then: hide` can use it. */
  readonly isListed?: true;
  /** Known before the arguments are redacted, so that rules with `then: redact` can use it too. */
  readonly isBeforeArguments?: true;
}

/** Every variable of conditions. */
export const policyVariables: readonly PolicyVariable[] = [
  {
    name: 'call.server',
    type: 'string',
    description: 'The name of the server. Empty for tools of the program, chains and scripts.',
    isListed: true,
  },
  {
    name: 'call.tool',
    type: 'string',
    description: 'The name that the server gives the tool; `resources/read` and `prompts/get` for reads.',
    isListed: true,
  },
  {
    name: 'call.name',
    type: 'string',
    description: 'The name under which Toolwharf exposes the tool.',
    isBeforeArguments: true,
  },
  { name: 'call.args', type: 'map', description: 'The arguments as they will be sent.' },
  {
    name: 'call.annotations',
    type: 'map',
    description: 'The annotations of the tool: claims of the server, unless it is trusted.',
    isListed: true,
  },
  {
    name: 'call.parent',
    type: 'map',
    description:
      'What made the call: `kind` is `call` or `answer`, `server` and `tool` those of a chain or script. Empty for a call that a client made itself.',
  },
  {
    name: 'caller.id',
    type: 'string',
    description: 'The id of the key, person, assistant or program that calls.',
    isBeforeArguments: true,
  },
  {
    name: 'caller.kind',
    type: 'string',
    description: '`client`, `person`, `assistant` or `program`.',
    isBeforeArguments: true,
  },
  {
    name: 'caller.name',
    type: 'string',
    description: 'The name of the key, person or assistant. Can be empty.',
    isBeforeArguments: true,
  },
  {
    name: 'person.name',
    type: 'string',
    description: 'The name of the person who signed in, or who owns the key. Empty if nobody has signed in.',
  },
  {
    name: 'person.groups',
    type: 'list',
    description: 'The groups of the person at their last sign-in. Empty if nobody has signed in.',
  },
  {
    name: 'person.roles',
    type: 'list',
    description: 'The roles of the person: `admin`, `approver`, `member`. Empty if nobody has signed in.',
  },
  {
    name: 'client.name',
    type: 'string',
    description: 'What the client program calls itself. Not verified; can be empty.',
    isBeforeArguments: true,
  },
  {
    name: 'client.version',
    type: 'string',
    description: 'The version that the client states. Not verified; can be empty.',
    isBeforeArguments: true,
  },
  {
    name: 'profile',
    type: 'string',
    description: 'The profile through which the call is made. Empty in the library.',
    isListed: true,
  },
  {
    name: 'labels',
    type: 'list',
    description: 'The labels of the results that entered the conversation before, or else reached the caller.',
  },
  { name: 'now', type: 'timestamp', description: 'The time of the decision.', isBeforeArguments: true },
  {
    name: 'history.count',
    type: 'int',
    parameters: [
      { name: 'pattern', type: 'string' },
      { name: 'window', type: 'window' },
    ],
    description: 'How many [earlier calls](#history) of tools that match the pattern there are in the window.',
  },
  {
    name: 'history.sum',
    type: 'number',
    parameters: [
      { name: 'pattern', type: 'string' },
      { name: 'path', type: 'string' },
      { name: 'window', type: 'window' },
    ],
    description: 'The sum of the numbers that these calls have at a path of their arguments, such as `item.price`.',
  },
  {
    name: 'history.last',
    type: 'any',
    parameters: [{ name: 'pattern', type: 'string' }],
    description: 'The time of the last earlier call of such a tool; `null` if there is none.',
  },
];

/** What a condition can know of a call. */
export interface CallFacts extends Pick<ReviewedCall, 'server' | 'tool' | 'originalName' | 'annotations' | 'profile'> {
  readonly arguments: ReviewedCall['arguments'];
  readonly caller: Partial<ReviewedCall['caller']>;
  readonly parent?: Partial<PluginCallParent>;
  readonly person?: Partial<Person>;
  /** The functions of `history`; conditions that use them have no value without it. */
  readonly history?: HistoryValues;
  readonly contextLabels?: readonly string[];
}

/** The values of all variables for a call. */
export function toValues(call: CallFacts, now: Date): ConditionValues {
  const { server = '', tool, originalName, annotations = {}, parent, caller, person, profile = '' } = call;
  const { contextLabels: labels = [] } = call;
  const { kind, id: parentId, server: parentServer = '', tool: parentTool = '' } = parent ?? {};
  return {
    call: {
      ...{ server, name: tool, tool: originalName, args: call.arguments, annotations },
      parent: parent ? { kind, id: parentId, server: parentServer, tool: parentTool } : {},
    },
    caller: { id: caller.id ?? '', kind: caller.kind ?? '', name: caller.name ?? '' },
    person: { name: person?.name ?? '', groups: person?.groups ?? [], roles: person?.roles ?? [] },
    client: { name: caller.client?.name ?? '', version: caller.client?.version ?? '' },
    ...{ profile, labels, now, history: call.history ?? {} },
  };
}

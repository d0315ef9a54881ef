import { isRecord } from '../../../components/is-record.ts';

export type ItemKind = 'tools' | 'resources' | 'prompts';

type Listed = readonly Readonly<Record<string, unknown>>[];

/** A tool, resource or prompt, and how it is requested. */
export interface PlaygroundItem {
  readonly name: string;
  readonly description: string;
  /** As the gateway lists it. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly method: 'tools/call' | 'resources/read' | 'prompts/get';
  /** JSON Schema of the arguments; undefined if the item has none. */
  readonly schema?: Readonly<Record<string, unknown>>;
  toParams(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

export function toItems(lists: {
  readonly tools: Listed;
  readonly resources: Listed;
  readonly templates: Listed;
  readonly prompts: Listed;
}): Readonly<Record<ItemKind, readonly PlaygroundItem[]>> {
  return {
    tools: lists.tools.map((definition) => ({
      ...toNamed(definition, 'name'),
      method: 'tools/call',
      schema: isRecord(definition.inputSchema) ? definition.inputSchema : {},
      toParams: (args) => ({ name: definition.name, arguments: args }),
    })),
    resources: [
      ...lists.resources.map(
        (definition): PlaygroundItem => ({
          ...toNamed(definition, 'uri'),
          method: 'resources/read',
          toParams: () => ({ uri: definition.uri }),
        }),
      ),
      ...lists.templates.map(
        (definition): PlaygroundItem => ({
          ...toNamed(definition, 'uriTemplate'),
          method: 'resources/read',
          schema: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
          toParams: ({ uri = '' }) => ({ uri }),
        }),
      ),
    ],
    prompts: lists.prompts.map((definition) => ({
      ...toNamed(definition, 'name'),
      method: 'prompts/get',
      schema: toPromptSchema(definition.arguments),
      toParams: (args) => ({ name: definition.name, arguments: args }),
    })),
  };
}

function toNamed(definition: Readonly<Record<string, unknown>>, member: string) {
  return { name: String(definition[member]), description: String(definition.description ?? ''), definition };
}

function toPromptSchema(args: unknown): Readonly<Record<string, unknown>> | undefined {
  const named = Array.isArray(args) ? args.filter(isRecord) : [];
  if (named.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map(({ name, description }) => [String(name), { type: 'string', description: description ?? undefined }]),
    ),
    required: named.filter(({ required }) => required === true).map(({ name }) => String(name)),
  };
}

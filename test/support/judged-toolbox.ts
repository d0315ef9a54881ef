import type { JsonObject } from '../../packages/contract/json.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../packages/toolwharf/index.ts';
import { definePlugin } from '../../packages/toolwharf/index.ts';
import type { RememberedRule } from '../../packages/toolwharf/policy/remembered-rules.ts';
import { createRecordingServer, recordingServer } from './recording-server.ts';
import { openToolbox } from './toolbox.ts';

const caller = { id: 'ada', kind: 'client' } as const;

export interface JudgedOptions {
  readonly inputSchema?: JsonObject;
  readonly validation?: 'strict' | 'coerce' | 'off';
  /** Remembered answers about the tool, for everyone. */
  readonly rules?: readonly Pick<RememberedRule, 'answer' | 'matching'>[];
  readonly mode?: 'auto' | 'always-ask';
  readonly answer?: (request: ApprovalRequest) => ApprovalAnswer;
}

/** A toolbox with one recording server, whose tool is `mcp_s_act`. Its approver denies by default. Notes what everyone sees. */
export async function openJudged({
  inputSchema,
  validation = 'strict',
  rules: remembered = [],
  mode = 'always-ask',
  answer,
}: JudgedOptions = {}) {
  const server = createRecordingServer(inputSchema);
  const asked: ApprovalRequest[] = [];
  const reviewed: JsonObject[] = [];
  const reviewer = definePlugin({
    name: 'reviewer',
    policy: (call) => {
      reviewed.push(call.arguments);
      return undefined;
    },
  });
  const rules: RememberedRule[] = [];
  const toolbox = await openToolbox(
    { servers: { s: recordingServer({ validation }) }, toolbox: { approval: { mode } } },
    {
      plugins: [server.plugin, reviewer],
      approver: {
        async ask(request) {
          asked.push(request);
          return answer?.(request) ?? { kind: 'deny' };
        },
      },
      rules: {
        list: async () => rules,
        add: async (added) => void rules.push(added),
        remove: async () => false,
      },
    },
  );
  const entry = toolbox.catalog.find('mcp_s_act');
  if (!entry) throw new Error('The tool is missing');
  for (const [at, rule] of remembered.entries())
    rules.push({
      id: `r${at}`,
      scope: 'tool',
      audience: 'everyone',
      serverAddress: entry.serverAddress,
      server: 's',
      tool: 'act',
      definitionHash: entry.definitionHash,
      createdAt: '2026-01-01T00:00:00Z',
      ...rule,
    });
  const store = (id: string, value: JsonObject, owner = 'ada') =>
    toolbox.calls.results.add(id, owner, { content: [], structuredContent: value }, 100);
  const recorded = async (id: string) => (await toolbox.calls.list()).find((record) => record.id === id)?.arguments;
  const call = (args: unknown) => toolbox.call('mcp_s_act', args, { caller });
  return {
    toolbox,
    server,
    asked,
    reviewed,
    store,
    recorded,
    call,
    [Symbol.asyncDispose]: () => toolbox[Symbol.asyncDispose](),
  };
}

import { join } from 'node:path';
import { dataDirectory } from '../../config/data-directory.ts';
import type { ToolView } from '../../gateway/api/schemas/tools.ts';
import type { Call } from '../../invocation/call.ts';
import type { Tool } from '../../kernel/tool.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { CommandContext } from '../command-context.ts';
import { createTerminalApprover } from '../terminal/terminal-approver.ts';
import { createTerminalQuestions } from '../terminal/terminal-questions.ts';
import { type OpenOptions, openToolbox } from './open-toolbox.ts';
import { createRuleFile } from './rule-file.ts';
import type { CallOptions, ToolAccess } from './tool-access.ts';

/** Opens the servers of the configuration in this process. Remembered approvals are stored in a file. */
export async function openLocalTools(context: CommandContext, options: OpenOptions): Promise<ToolAccess> {
  const { terminal, env, signal } = context;
  const rulesFile = join(dataDirectory(env), 'approvals.json');
  const rememberedNote = `Remembered in ${rulesFile}; delete the entry there to be asked again.`;
  let askPatterns: readonly string[] = [];
  const approver = createTerminalApprover(terminal, () => ({ rememberedNote, askPatterns }));
  const canAsk = options.forCalls && terminal.canAsk;
  const opened = await openToolbox(context, {
    rules: options.forCalls ? createRuleFile(rulesFile) : undefined,
    approver: canAsk ? approver : undefined,
    host: canAsk ? createTerminalQuestions(terminal) : undefined,
    ...options,
  });
  const { toolbox, servers, warnings, config, file } = opened;
  askPatterns = config.toolbox.approval.ask;

  return {
    servers,
    tools: toolbox.tools.map((tool) => toView(tool, toolbox)),
    config: { file, dialect: config.dialect, plugins: toolbox.plugins() },
    warnings,
    reportUnavailable: opened.reportUnavailable,
    async call({ name }, args, { timeout, onProgress }) {
      let isDeniedHere = false;
      const unsubscribe = toolbox.on('approval.answered', ({ answer }) => {
        isDeniedHere = terminal.canAsk && answer.kind === 'deny';
      });
      const call = toolbox.start(name, args, {
        signal: AbortSignal.any([signal, timeout.start(name)]),
        caller: { id: 'cli', kind: 'person' },
        host: { onProgress },
      });
      pauseWhileAsking(call, timeout);
      const result = await call.result;
      unsubscribe();
      return { result, isDeniedHere };
    },
    listResources: async (server) => ({
      resources: toolbox.resources.list(server).map(({ item }) => item),
      resourceTemplates: toolbox.resources.listTemplates(server).map(({ item }) => item),
    }),
    readResource: (server, uri) => toolbox.resources.read(server, uri, { signal }),
    listPrompts: async (server) => toolbox.prompts.list(server).map(({ item }) => item),
    listSkills: async () => toolbox.skills.list().map(({ accepted: _accepted, ...skill }) => skill),
    readSkill: (skill, path) => toolbox.skills.read(skill, path, { signal }),
    getPrompt: (server, name, args) => toolbox.prompts.get(server, name, args, { signal }),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

function toView(tool: Tool, { catalog }: InternalToolbox): ToolView {
  const entry = catalog.find(tool.name);
  const warnings = catalog.warnings(tool.name);
  const { name, server, originalName, title, description, parameters, outputSchema, annotations } = tool;
  return {
    name,
    server,
    originalName,
    title,
    description,
    parameters,
    outputSchema,
    annotations: annotations && { ...annotations },
    definitionHash: entry?.definitionHash ?? '',
    limits: entry?.limits ?? { maxInstances: 1, timeoutMs: 0 },
    warnings: warnings.length > 0 ? warnings : undefined,
  };
}

/** Stops the time limit while the call waits for a person. */
function pauseWhileAsking(call: Call, { pause }: CallOptions['timeout']): void {
  let resume: (() => void) | undefined;
  call.subscribe((event) => {
    if (event.type !== 'state') return;
    const isAsking = event.state === 'awaiting-approval' || event.state === 'awaiting-input';
    if (isAsking) resume ??= pause();
    else {
      resume?.();
      resume = undefined;
    }
  });
}

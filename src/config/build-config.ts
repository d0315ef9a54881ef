import { closest } from '../kernel/closest.ts';
import { buildGateway } from './build-gateway.ts';
import { buildProfiles } from './build-profiles.ts';
import type { CheckContext } from './check-context.ts';
import type { CheckedNative } from './check-native.ts';
import type { Config, HttpTarget, ServerSpec, StdioTarget } from './config.ts';
import type { DialectDefaults } from './dialect-defaults.ts';
import type { CheckedServer, CheckedToolbox } from './native-schema.ts';

/** Fills in the defaults and checks what concerns several values at once. */
export function buildConfig(checked: CheckedNative, context: CheckContext): Config {
  const servers = checked.servers.map(({ name, server }) => buildServer(name, server, context));
  const names = servers.map((server) => server.name);
  for (const { name, server } of checked.toolbox.tools ?? []) {
    if (server === undefined || names.includes(server)) continue;
    const meant = closest(server, names);
    context.warn(
      `Tool '${name}' is configured for server '${server}', which this file does not have${meant ? `; did you mean '${meant}'?` : ''}`,
    );
  }
  const toolbox = buildToolbox(checked.toolbox, context.defaults);
  return {
    servers,
    toolbox,
    profiles: buildProfiles(checked.profiles, { toolbox, servers: names }, context),
    gateway: buildGateway(checked.gateway),
    dialect: context.dialect,
  };
}

function buildServer(name: string, server: CheckedServer, context: CheckContext): ServerSpec {
  const { defaults } = context;
  const { mode = 'dynamic', timeout: timeoutMs = 30_000, prompts = defaults.prompts } = server;
  const limits = mode === 'strict' && defaults.strictIgnoresDefaults ? {} : (server.defaultToolConfig ?? {});
  return {
    name,
    ...(server.description !== undefined && { description: server.description }),
    enabled: server.enabled ?? true,
    required: server.required ?? defaults.required,
    target: 'url' in server ? buildHttpTarget(server) : buildStdioTarget(server),
    protocol: server.protocol ?? 'auto',
    trusted: server.trusted ?? false,
    timeoutMs,
    retryAttempts: server.retryAttempts ?? 3,
    mode,
    // A server that is given more time gives it to its tools, unless they have a limit of their own.
    defaultTool: { maxInstances: limits.maxInstances ?? defaults.maxInstances, timeoutMs: limits.timeout ?? timeoutMs },
    ...(server.allow && { allow: server.allow }),
    ...(server.deny && { deny: server.deny }),
    onChange: server.onChange ?? 'ask',
    ...(server.rate && { rate: { calls: server.rate.calls, perMs: server.rate.per } }),
    ...(prompts && { prompts }),
  };
}

function buildStdioTarget(server: Extract<CheckedServer, { command: string }>): StdioTarget {
  return {
    transport: 'stdio',
    command: server.command,
    args: server.args ?? [],
    env: server.env ?? {},
    ...(server.cwd !== undefined && { cwd: server.cwd }),
  };
}

function buildHttpTarget(server: Extract<CheckedServer, { url: string }>): HttpTarget {
  const { url, headers = {}, authentication = { type: 'none' }, transport = 'auto', allowInsecure = false } = server;
  const { openapi, endpoints } = server;
  const common = { url, headers, authentication, allowInsecure };
  if (openapi !== undefined || endpoints)
    return { transport: 'api', ...common, ...(openapi !== undefined && { openapi }), ...(endpoints && { endpoints }) };
  return { transport: transport === 'sse' || transport === 'auto' ? transport : 'http', ...common };
}

function buildToolbox(toolbox: CheckedToolbox, defaults: DialectDefaults): Config['toolbox'] {
  const { approval = {} } = toolbox;
  return {
    maxConcurrent: toolbox.maxConcurrent ?? 256,
    maxQueued: toolbox.maxQueued ?? 1000,
    naming: toolbox.naming ?? defaults.naming,
    maxResultBytes: toolbox.maxResultBytes ?? 10 * 1024 * 1024,
    approval: {
      mode: approval.mode ?? 'auto',
      trustedTools: approval.trustedTools ?? [],
      ask: approval.ask ?? [],
      deny: approval.deny ?? [],
      expiresMs: approval.expires ?? 600_000,
    },
    tools: (toolbox.tools ?? []).map(({ name, server, maxInstances, timeout, mode }) => ({
      name,
      ...(server !== undefined && { server }),
      ...(maxInstances !== undefined && { maxInstances }),
      ...(timeout !== undefined && { timeoutMs: timeout }),
      ...(mode !== undefined && { mode }),
    })),
    chains: Object.entries(toolbox.chains ?? {}).map(([name, chain]) => ({
      name,
      ...(chain.description !== undefined && { description: chain.description }),
      ...(chain.input && { input: chain.input }),
      steps: chain.steps.map(({ tool, arguments: given = {} }) => ({ tool, arguments: given })),
      timeoutMs: chain.timeout ?? 300_000,
      maxInstances: chain.maxInstances ?? defaults.maxInstances,
    })),
    defaultTool: { maxInstances: defaults.maxInstances, timeoutMs: 30_000 },
    localToolsMustBeConfigured: defaults.localToolsMustBeConfigured,
  };
}

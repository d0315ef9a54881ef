import { basename, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { omitUndefined } from '../../contract/json.ts';
import type { Config, HttpTarget, ServerRoot, ServerSpec, StdioTarget } from '../../contract/settings/config.ts';
import {
  approvalDefaults,
  chainTimeoutMs,
  type DialectDefaults,
  gatewayDefaults,
  limitDefaults,
  limitsOf,
  oidcDefaults,
  serverDefaults,
  toolboxDefaults,
} from '../../contract/settings/defaults.ts';
import type { GatewayConfig, GatewayLimits } from '../../contract/settings/gateway-config.ts';
import type { CheckedGateway } from '../../contract/settings/gateway-schema.ts';
import type { CheckedPlugins, CheckedToolbox } from '../../contract/settings/native-schema.ts';
import type { PluginEntry } from '../../contract/settings/plugin-config.ts';
import { type CheckedPolicy, labelsExpireMs } from '../../contract/settings/policy-schema.ts';
import type { CheckedServer } from '../../contract/settings/server-schema.ts';
import { closest } from '../kernel/closest.ts';
import { buildProfiles } from './build-profiles.ts';
import type { CheckContext } from './check-context.ts';
import type { CheckedNative } from './check-native.ts';

/** Applies the defaults and checks constraints between values. */
export function buildConfig(checked: CheckedNative, context: CheckContext): Config {
  const servers = checked.servers.map(({ name, server, plugin }) =>
    buildServer(name, server, context.defaults, plugin),
  );
  const names = servers.map((server) => server.name);
  for (const { name, server } of checked.toolbox.tools ?? []) {
    if (server === undefined || names.includes(server)) continue;
    const similar = closest(server, names);
    const hint = similar === undefined ? '' : `; did you mean '${similar}'?`;
    context.warn(`Tool '${name}' is configured for server '${server}', which this file does not have${hint}`);
  }
  const toolbox = buildToolbox(checked.toolbox, context.defaults);
  return {
    servers,
    toolbox,
    localTools: [checked.localTools].flat().map((path) => resolve(context.directory, path)),
    skills: [checked.skills].flat().map((path) => resolve(context.directory, path)),
    plugins: checked.plugins.map((plugin) => buildPlugin(plugin, context.directory)),
    profiles: buildProfiles(checked.profiles, { toolbox, servers: names }, context),
    gateway: buildGateway(checked.gateway, context.directory),
    policy: buildPolicy(checked.policy),
    budgets: buildBudgets(checked.policy),
    flows: buildFlows(checked.policy),
    redaction: checked.redaction && Object.keys(checked.redaction).length > 0 ? checked.redaction : undefined,
    features: checked.features,
    dialect: context.dialect,
  };
}

/** Applies the defaults of rules. */
export function buildPolicy({ rules = [] }: CheckedPolicy): Config['policy'] {
  if (rules.length === 0) return undefined;
  return {
    rules: rules.map(({ mode = 'enforce', onFailure = 'ask', examples = [], ...rule }) => ({
      ...rule,
      mode,
      onFailure,
      examples,
    })),
  };
}

/** Applies the defaults of budgets. */
export function buildBudgets({ budgets = [] }: CheckedPolicy): Config['budgets'] {
  if (budgets.length === 0) return undefined;
  return budgets.map(({ per = [], tool, window, count, sum, mode = 'enforce', ...budget }) =>
    omitUndefined({
      ...{ ...budget, sum, mode, windowMs: window },
      per: [per].flat(),
      tools: tool === undefined ? undefined : [tool].flat(),
      count: count ?? (sum === undefined ? 'calls' : undefined),
    }),
  );
}

/** Applies the defaults of labels and flows. */
function buildFlows({ labels = [], flows = [], labelsExpire = labelsExpireMs }: CheckedPolicy): Config['flows'] {
  if (labels.length === 0 && flows.length === 0) return undefined;
  return {
    labels: labels.map(({ on = 'result', ...label }) => ({ on, ...label })),
    flows: flows.map(({ id, within = 'arguments', mode = 'enforce', onFailure = 'ask', ...flow }, index) => ({
      ...{ id: id ?? `flow-${index + 1}`, within, mode, onFailure },
      ...flow,
    })),
    labelsExpireMs: labelsExpire,
  };
}

function buildPlugin(plugin: CheckedPlugins[number], directory: string): PluginEntry {
  const { module, timeout, ...settings } = typeof plugin === 'string' ? { module: plugin } : plugin;
  const isPath = /^\.{1,2}([\\/]|$)/.test(module) || isAbsolute(module);
  return omitUndefined({
    module,
    file: isPath ? resolve(directory, module) : undefined,
    directory,
    ...settings,
    timeoutMs: timeout,
  });
}

/** Applies the defaults to a checked server. */
export function buildServer(
  name: string,
  server: CheckedServer,
  defaults: DialectDefaults,
  target: ServerSpec['target'] = buildTarget(server),
): ServerSpec {
  const settings: ServerSettings = { ...serverDefaults, required: defaults.required, ...settingsOf(server) };
  const { mode, timeoutMs } = settings;
  const limits = mode === 'strict' && defaults.strictIgnoresDefaults ? {} : (server.defaultToolConfig ?? {});
  return omitUndefined({
    name,
    description: server.description,
    target,
    ...settings,
    sandbox: server.sandbox,
    // The timeout of the server is the default timeout of its tools.
    defaultTool: { ...defaults.defaultTool, ...limitsOf({ ...limits, timeoutMs: limits.timeout ?? timeoutMs }) },
    allow: server.allow,
    deny: server.deny,
    rate: server.rate && { calls: server.rate.calls, perMs: server.rate.per },
    prompts: server.prompts ?? defaults.prompts,
    roots: server.roots?.map(buildRoot),
  });
}

type ServerSettings = Pick<ServerSpec, keyof typeof serverDefaults>;

/** The settings that have a default, by their names in `ServerSpec`: those of durations end in `Ms`. */
function settingsOf(server: CheckedServer): Partial<ServerSettings> {
  const named = Object.entries(server).flatMap(([key, value]) =>
    [key, `${key}Ms`].filter((name) => Object.hasOwn(serverDefaults, name)).map((name) => [name, value]),
  );
  return omitUndefined(Object.fromEntries(named));
}

function buildRoot(value: string): ServerRoot {
  const uri = isAbsolute(value) ? pathToFileURL(value).href : value;
  return { uri, name: decodeURIComponent(basename(new URL(uri).pathname)) || uri };
}

/** The program or URL of a server. */
export function buildTarget(server: CheckedServer): StdioTarget | HttpTarget {
  const { command, args = [], env = {}, cwd, inheritEnv, url = '', headers = {}, openapi, endpoints } = server;
  if (command !== undefined) return omitUndefined({ transport: 'stdio', command, args, env, cwd, inheritEnv });
  const { transport = 'auto', authentication = { type: 'none' }, allowInsecure = false } = server;
  const isApi = openapi !== undefined || endpoints !== undefined;
  return omitUndefined({
    transport: isApi || transport === 'stdio' ? 'api' : transport,
    url,
    headers,
    authentication,
    allowInsecure,
    openapi,
    endpoints,
  });
}

function buildGateway(checked: CheckedGateway, directory: string): GatewayConfig {
  const { listWait, questionTimeout, shutdown, lease, retention, limits, apps, oidc, tls, sandbox, ...gateway } =
    checked;
  return {
    ...gatewayDefaults,
    // An operator who sets up sign-in does not want anonymous administrators on this machine.
    requireAuthentication: oidc !== undefined,
    ...gateway,
    tls:
      tls &&
      omitUndefined({
        cert: resolve(directory, tls.cert),
        key: resolve(directory, tls.key),
        clientCa: tls.clientCa === undefined ? undefined : resolve(directory, tls.clientCa),
      }),
    oidc: oidc && { ...oidcDefaults, ...oidc, tokenScopes: { ...oidcDefaults.tokenScopes, ...oidc.tokenScopes } },
    retention: {
      maxAgeMs: retention?.maxAge ?? gatewayDefaults.retention.maxAgeMs,
      maxCalls: retention?.maxCalls ?? gatewayDefaults.retention.maxCalls,
    },
    limits: buildLimits(limits),
    apps: { ...gatewayDefaults.apps, ...apps },
    sandbox: { ...gatewayDefaults.sandbox, ...sandbox },
    listWaitMs: listWait ?? gatewayDefaults.listWaitMs,
    questionTimeoutMs: questionTimeout ?? gatewayDefaults.questionTimeoutMs,
    shutdownMs: shutdown ?? gatewayDefaults.shutdownMs,
    leaseMs: lease ?? gatewayDefaults.leaseMs,
  };
}

function buildLimits({ slowClientTimeout, ...limits }: NonNullable<CheckedGateway['limits']> = {}): GatewayLimits {
  return { ...limitDefaults, ...limits, slowClientTimeoutMs: slowClientTimeout ?? limitDefaults.slowClientTimeoutMs };
}

function buildToolbox(toolbox: CheckedToolbox, defaults: DialectDefaults): Config['toolbox'] {
  const { maxConcurrent, maxQueued, maxStarting, maxResultBytes, newTools, secretCommands } = toolboxDefaults;
  const { approval: { expires, ...approval } = {} } = toolbox;
  return {
    maxConcurrent: toolbox.maxConcurrent ?? maxConcurrent,
    maxQueued: toolbox.maxQueued ?? maxQueued,
    maxStarting: toolbox.maxStarting ?? maxStarting,
    naming: toolbox.naming ?? defaults.naming,
    newTools: toolbox.newTools ?? newTools,
    maxResultBytes: toolbox.maxResultBytes ?? maxResultBytes,
    secretResults: toolbox.secretResults ?? [],
    secretCommands: {
      timeoutMs: toolbox.secretCommands?.timeout ?? secretCommands.timeoutMs,
      cacheMs: toolbox.secretCommands?.cache ?? secretCommands.cacheMs,
    },
    approval: { ...approvalDefaults, ...approval, expiresMs: expires ?? approvalDefaults.expiresMs },
    tools: (toolbox.tools ?? []).map(({ timeout: timeoutMs, ...tool }) => omitUndefined({ ...tool, timeoutMs })),
    chains: Object.entries(toolbox.chains ?? {}).map(
      ([name, { description, input, steps = [], code, timeout = chainTimeoutMs, ...limits }]) => ({
        name,
        description,
        input,
        steps: steps.map(({ tool, arguments: args = {} }) => ({ tool, arguments: args })),
        ...(code !== undefined && { code }),
        ...defaults.defaultTool,
        ...limitsOf({ ...limits, timeoutMs: timeout }),
      }),
    ),
    defaultTool: defaults.defaultTool,
    localToolsMustBeConfigured: defaults.localToolsMustBeConfigured,
  };
}

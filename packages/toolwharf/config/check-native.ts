import { z } from 'zod';
import type { CheckedChains } from '../../contract/settings/chain-schema.ts';
import type { CheckedGateway } from '../../contract/settings/gateway-schema.ts';
import {
  type CheckedFeatures,
  type CheckedLocalTools,
  type CheckedPlugins,
  type CheckedProfiles,
  type CheckedSkills,
  type CheckedToolbox,
  featuresSchema,
  localToolsSchema,
  nativeKeys,
  pluginSchema,
  pluginsSchema,
  profilesSchema,
  skillsSchema,
  toolboxSchema,
  toolSchema,
} from '../../contract/settings/native-schema.ts';
import { type CheckedPolicy, policySchema } from '../../contract/settings/policy-schema.ts';
import { type CheckedRedaction, redactionSchema } from '../../contract/settings/redaction-schema.ts';
import { canonicalize, canonicalizeMap } from './canonical-keys.ts';
import type { CheckContext } from './check-context.ts';
import { checkGateway } from './check-gateway.ts';
import { checkSchema } from './check-schema.ts';
import { checkServers, type NamedServer } from './check-server.ts';
import { isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import type { Path } from './problems.ts';

export interface CheckedNative {
  readonly servers: readonly NamedServer[];
  readonly toolbox: CheckedToolbox;
  readonly localTools: CheckedLocalTools;
  readonly skills: CheckedSkills;
  readonly plugins: CheckedPlugins;
  readonly profiles: CheckedProfiles;
  readonly gateway: CheckedGateway;
  readonly policy: CheckedPolicy;
  readonly redaction?: CheckedRedaction;
  readonly features: CheckedFeatures;
}

// A separate function checks each section. The schema of a section is created only if the document has the section.
const sections = z.object(Object.fromEntries(nativeKeys.map((key) => [key, z.unknown()])));

/** Checks a native document and reports every problem. The result is complete only if no problem was reported. */
export function checkNative(document: PlainObject, context: CheckContext): CheckedNative {
  const { servers, toolbox, localTools, skills, plugins, profiles, gateway, policy, redaction, features } =
    canonicalizeMap(document, sections, [], context);
  return {
    servers: checkServers(servers ?? {}, context, plugins !== undefined),
    toolbox: checkToolbox(toolbox ?? {}, context) ?? {},
    localTools: checkSchema(localToolsSchema, localTools ?? [], ['localTools'], context) ?? [],
    skills: checkSchema(skillsSchema, skills ?? [], ['skills'], context) ?? [],
    plugins: checkPlugins(plugins ?? [], context) ?? [],
    profiles: checkProfiles(profiles ?? {}, context) ?? {},
    gateway: (gateway !== undefined && checkGateway(gateway, context)) || {},
    policy:
      checkSchema(policySchema, canonicalize(policy ?? {}, policySchema, ['policy'], context), ['policy'], context) ??
      {},
    redaction:
      redaction === undefined
        ? undefined
        : checkSchema(
            redactionSchema,
            canonicalize(redaction, redactionSchema, ['redaction'], context),
            ['redaction'],
            context,
          ),
    features: checkSchema(featuresSchema, features ?? {}, ['features'], context) ?? {},
  };
}

function checkPlugins(value: PlainData, context: CheckContext): CheckedPlugins | undefined {
  const path = ['plugins'];
  const plugins = Array.isArray(value)
    ? value.map((plugin, index) => {
        // The keys of `options` belong to the plugin and stay as they are.
        return isPlainMap(plugin) ? canonicalizeMap(plugin, pluginSchema, [...path, index], context) : plugin;
      })
    : value;
  return checkSchema(pluginsSchema, plugins, path, context);
}

function checkProfiles(value: PlainData, context: CheckContext): CheckedProfiles | undefined {
  const path = ['profiles'];
  // A profile without a value uses the defaults.
  const entries = isPlainMap(value) && Object.entries(value).map(([name, profile]) => [name, profile ?? {}] as const);
  const profiles = entries ? Object.fromEntries(entries) : value;
  return checkSchema(profilesSchema, canonicalize(profiles, profilesSchema, path, context), path, context);
}

function checkToolbox(value: PlainData, context: CheckContext): CheckedToolbox | undefined {
  const path = ['toolbox'];
  const toolbox = canonicalize(value, toolboxSchema, path, context);
  if (isPlainMap(toolbox) && toolbox.tools !== undefined)
    toolbox.tools = toToolList(toolbox.tools, [...path, 'tools'], context);
  const checked = checkSchema(toolboxSchema, toolbox, path, context);
  const cycle = checked?.chains && findCycle(checked.chains);
  if (cycle) {
    const message = `calls itself: ${cycle.join(' → ')}`;
    context.report({ path: [...path, 'chains', cycle[0] ?? ''], message, atKey: true });
  }
  return checked;
}

/** Returns the names along the first cycle of chains that call each other. */
function findCycle(chains: CheckedChains): readonly string[] | undefined {
  const acyclic = new Set<string>();
  function visit(name: string, callers: readonly string[]): readonly string[] | undefined {
    if (callers.includes(name)) return [...callers.slice(callers.indexOf(name)), name];
    const steps = acyclic.has(name) || !Object.hasOwn(chains, name) ? [] : (chains[name]?.steps ?? []);
    for (const { tool } of steps) {
      const cycle = visit(tool, [...callers, name]);
      if (cycle) return cycle;
    }
    acyclic.add(name);
    return undefined;
  }
  return Object.keys(chains)
    .map((name) => visit(name, []))
    .find((cycle) => cycle !== undefined);
}

/** Converts tools to a list. The file may contain a list or a map by name. */
function toToolList(tools: PlainData, path: Path, context: CheckContext): PlainData {
  if (Array.isArray(tools)) {
    reportDuplicateTools(tools, path, context);
    return tools;
  }
  if (!isPlainMap(tools)) return tools;
  const unnamed = toolSchema.omit({ name: true });
  return Object.entries(tools).map(([name, tool], index) => {
    context.written.set([...path, index], [...context.written.resolve(path), name]);
    if (tool === null) return { name };
    return isPlainMap(tool) ? { ...canonicalizeMap(tool, unnamed, [...path, index], context), name } : tool;
  });
}

function reportDuplicateTools(tools: readonly PlainData[], path: Path, context: CheckContext): void {
  const indexes = new Map<string, number>();
  for (const [index, tool] of tools.entries()) {
    if (!isPlainMap(tool) || tool.name === undefined) continue;
    const id = JSON.stringify([tool.server ?? null, tool.name]);
    const earlier = indexes.get(id);
    if (earlier === undefined) indexes.set(id, index);
    else {
      const message = `duplicate tool '${String(tool.name)}', first at index ${earlier}`;
      context.report({ path: [...path, index], message });
    }
  }
}

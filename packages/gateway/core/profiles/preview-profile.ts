import { createPatternIndex } from '../../../contract/match-globs.ts';
import type { Exposed } from '../../../contract/settings/choices.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import type { CheckedProfile } from '../../../contract/settings/native-schema.ts';
import { buildProfile } from '../../../toolwharf/config/build-profiles.ts';
import { mapInSlices } from '../../../toolwharf/kernel/slices.ts';
import { createVisibility } from '../../../toolwharf/policy/visible-tools.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { estimateTokens } from '../mcp/exposure.ts';
import { createView, type View } from '../mcp/view.ts';

/** A tool of the toolbox, and whether the profile offers it. */
export interface PreviewedTool {
  readonly server?: string;
  readonly originalName: string;
  readonly visible: boolean;
  /** The patterns that match the tool. */
  readonly allowedBy: readonly string[];
  readonly deniedBy: readonly string[];
}

/** The number and size of a profile's tools, and of the list that its clients get. */
export interface ProfileExposure {
  /** The number of tools that the profile offers. */
  readonly count: number;
  /** Estimated size of all tools. */
  readonly estimatedTokens: number;
  /** How the tools are listed; the choice of `auto`. */
  readonly exposed: Exposed;
  /** Estimated size of the list. */
  readonly listedTokens: number;
}

/** The tools, resources, prompts and skills that clients of a profile would see. */
export interface ProfilePreview extends ProfileExposure {
  readonly tools: readonly PreviewedTool[];
  readonly resources: readonly { readonly server: string; readonly uri: string; readonly visible: boolean }[];
  readonly prompts: readonly { readonly server: string; readonly name: string; readonly visible: boolean }[];
  readonly skills: readonly { readonly server?: string; readonly path: string; readonly visible: boolean }[];
}

/** Computes the lists that clients of a profile with these settings would see now. Nothing is stored. */
export async function previewProfile(settings: CheckedProfile, toolbox: InternalToolbox): Promise<ProfilePreview> {
  const profile = buildProfile('preview', settings, toolbox.config);
  const { hasTool, hasResource, hasPrompt, hasSkill } = createVisibility(profile, toolbox.isListed);
  const allowedBy = createPatternIndex(profile.allow ?? []);
  const deniedBy = createPatternIndex(profile.deny ?? []);
  const view = await createView(toolbox, profile);
  return {
    tools: await mapInSlices(toolbox.catalog.entries, (entry) => {
      const { server, originalName } = entry;
      const path = `${server ?? 'local'}/${originalName}`;
      return {
        server,
        originalName,
        visible: hasTool(entry),
        allowedBy: allowedBy(path),
        deniedBy: deniedBy(path),
      };
    }),
    resources: [
      ...toolbox.resources.list().map(({ server, item }) => ({ server, uri: String(item.uri) })),
      ...toolbox.resources.listTemplates().map(({ server, item }) => ({ server, uri: String(item.uriTemplate) })),
    ].map(({ server, uri }) => ({ server, uri, visible: hasResource(server, uri) })),
    prompts: toolbox.prompts.list().map(({ server, item }) => {
      const name = String(item.name);
      return { server, name, visible: hasPrompt(server, name) };
    }),
    skills: toolbox.skills.list().map(({ server, path }) => ({ server, path, visible: hasSkill(server, path) })),
    ...(await measure(view)),
  };
}

/** How the tools of a profile are listed now, and the size of the list. */
export async function describeExposure(profile: ProfileConfig, toolbox: InternalToolbox): Promise<ProfileExposure> {
  return measure(await createView(toolbox, profile));
}

async function measure({ tools, listed, exposure }: View): Promise<ProfileExposure> {
  return {
    count: tools.length,
    estimatedTokens: await estimateTokens(tools),
    exposed: exposure.expose,
    listedTokens: await estimateTokens(listed),
  };
}

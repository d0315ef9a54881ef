import { z } from 'zod';
import type { ProfileConfig } from '../../../config/config.ts';
import type { ApiKey } from '../../../storage/ports/key-store.ts';
import type { ProfileRecord } from '../../../storage/ports/profile-store.ts';
import { endpointPath } from '../../clients/mcp-clients.ts';
import { describeExposure, previewProfile } from '../../profiles/preview-profile.ts';
import { noProfile, readOnlyReason } from '../../profiles/stored-profiles.ts';
import { type ApiPorts, type ApiRequest, route } from '../route.ts';
import {
  newProfileSchema,
  type ProfileView,
  profileInputSchema,
  profileListSchema,
  profilePreviewInputSchema,
  profilePreviewSchema,
  profileSchema,
} from '../schemas/profiles.ts';

const group = 'profiles';
const params = z.object({ profile: z.string() });

export const profileRoutes = [
  route({
    operationId: 'listProfiles',
    method: 'get',
    path: '/api/profiles',
    right: 'read',
    group,
    summary: 'Lists the profiles that the caller may use.',
    answer: profileListSchema,
    async handle(request, ports) {
      const show = await createShow(request, ports);
      return { profiles: visibleProfiles(request, ports).map(show) };
    },
  }),
  route({
    operationId: 'createProfile',
    method: 'post',
    path: '/api/profiles',
    right: 'admin',
    group,
    summary: 'Stores a profile and serves it at its own URL.',
    body: newProfileSchema,
    answer: profileSchema,
    status: 201,
    errors: ['CONFIG_INVALID', 'CONFLICT'],
    async handle(request, ports) {
      const { name, ...profile } = request.body;
      await ports.profiles.add(name, profile);
      return showProfile(name, request, ports);
    },
  }),
  route({
    operationId: 'previewProfile',
    method: 'post',
    path: '/api/profiles/preview',
    right: 'admin',
    group,
    recorded: false,
    summary: 'Returns the lists that clients of a profile with these settings would see. Nothing is stored.',
    body: profilePreviewInputSchema,
    answer: profilePreviewSchema,
    errors: ['CONFIG_INVALID'],
    async handle({ body }, { toolbox, servers }) {
      await servers.waitForStart();
      return previewProfile(body, toolbox);
    },
  }),
  route({
    operationId: 'getProfile',
    method: 'get',
    path: '/api/profiles/{profile}',
    right: 'read',
    group,
    summary: 'Returns one profile.',
    params,
    answer: profileSchema,
    errors: ['NOT_FOUND'],
    handle: (request, ports) => showProfile(request.params.profile, request, ports),
  }),
  route({
    operationId: 'updateProfile',
    method: 'put',
    path: '/api/profiles/{profile}',
    right: 'admin',
    group,
    summary:
      'Replaces a stored profile, or the built-in profile `default`. Open sessions of its clients get the new lists.',
    params,
    body: profileInputSchema,
    answer: profileSchema,
    errors: ['CONFIG_INVALID', 'CONFLICT', 'NOT_FOUND'],
    async handle(request, ports) {
      const { updatedAt, ...profile } = request.body;
      const { name } = await ports.profiles.update(request.params.profile, profile, updatedAt);
      return showProfile(name, request, ports);
    },
  }),
  route({
    operationId: 'removeProfile',
    method: 'delete',
    path: '/api/profiles/{profile}',
    right: 'admin',
    group,
    summary:
      'Deletes a stored profile and closes the sessions of its clients. Fails while keys use it. A deleted `default` is replaced by the built-in one.',
    params,
    errors: ['CONFLICT', 'NOT_FOUND'],
    handle: (request, ports) => ports.profiles.remove(request.params.profile),
  }),
];

type Requester = Pick<ApiRequest, 'identity'>;

function visibleProfiles({ identity }: Requester, { toolbox }: ApiPorts): readonly ProfileConfig[] {
  const { profile: own = 'default', isAdmin } = identity;
  return toolbox.config.profiles.filter(({ name }) => isAdmin || name === own);
}

async function showProfile(name: string, request: Requester, ports: ApiPorts): Promise<ProfileView> {
  const profile = visibleProfiles(request, ports).find((candidate) => candidate.name === name);
  if (!profile) throw noProfile(name);
  const exposure = await describeExposure(profile, ports.toolbox);
  return { ...(await createShow(request, ports))(profile), exposure };
}

/** Shows profiles as the caller may see them. */
async function createShow(
  { identity: { isAdmin } }: Requester,
  { profiles, storage, toolbox }: ApiPorts,
): Promise<(profile: ProfileConfig) => ProfileView> {
  const keys: readonly ApiKey[] = isAdmin ? await storage.keys.list() : [];
  return ({ name, description, builtIn, naming, expose, exposeBudget, approval, ...lists }) => {
    const record = profiles.find(name);
    const isInFile = !record && !builtIn;
    const file = isAdmin ? toolbox.loaded.file : undefined;
    return {
      name,
      description,
      path: endpointPath(name),
      source: record ? 'store' : builtIn ? 'built-in' : 'file',
      readOnly: isInFile ? readOnlyReason({ name }, file) : undefined,
      naming,
      expose,
      exposeBudget,
      mode: approval.mode,
      updatedAt: record?.updatedAt,
      ...(isAdmin && {
        ...lists,
        approval,
        settings: record
          ? toSettings(record)
          : { description, naming, expose, exposeBudget, ...lists, approval: toInput(approval) },
        keys: keys.filter((key) => key.profile === name && key.revokedAt === undefined).length,
      }),
    };
  };
}

function toSettings({ id: _id, name: _name, createdAt: _created, updatedAt: _updated, ...settings }: ProfileRecord) {
  return settings;
}

/** Approval settings in the format of a request, where the duration has another name. */
function toInput({ expiresMs, ...approval }: ProfileConfig['approval']) {
  return { ...approval, expires: expiresMs };
}

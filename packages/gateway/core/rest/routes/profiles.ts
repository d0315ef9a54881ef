import type { ProfileView } from '../../../../contract/api/profiles.ts';
import { profileRoutes as routes } from '../../../../contract/routes/profiles.ts';
import type { ProfileConfig } from '../../../../contract/settings/config.ts';
import type { CheckedProfile } from '../../../../contract/settings/native-schema.ts';
import { buildProfile } from '../../../../toolwharf/config/build-profiles.ts';
import type { ApiKey } from '../../../../toolwharf/storage/ports/key-store.ts';
import type { ProfileRecord, Stored } from '../../../../toolwharf/storage/ports/record-store.ts';
import { hasRight, seesAll } from '../../auth/identity.ts';
import { endpointPath } from '../../clients/mcp-clients.ts';
import { assertNotLoosened } from '../../profiles/loosened-approval.ts';
import { describeExposure, previewProfile } from '../../profiles/preview-profile.ts';
import { noRecord, readOnlyReason } from '../../records/administer.ts';
import { withCurrent } from '../revision-conflict.ts';
import { type ApiPorts, type ApiRequest, implement } from '../route.ts';

export const profileRoutes = [
  implement(routes.listProfiles, {
    async handle(request, ports) {
      const show = await createShow(request, ports);
      return { profiles: visibleProfiles(request, ports).map(show) };
    },
  }),
  implement(routes.createProfile, {
    async handle(request, ports) {
      const { name, ...profile } = request.body;
      assertMayStore(name, profile, request, ports);
      await ports.profiles.add(name, profile);
      return showProfile(name, request, ports);
    },
  }),
  implement(routes.previewProfile, {
    async handle({ body }, { toolbox, servers }) {
      await servers.waitForStart();
      return previewProfile(body, toolbox);
    },
  }),
  implement(routes.getProfile, {
    handle: (request, ports) => showProfile(request.params.profile, request, ports),
  }),
  implement(routes.updateProfile, {
    async handle(request, ports) {
      const { revision, ...profile } = request.body;
      const name = request.params.profile;
      assertMayStore(name, profile, request, ports);
      const show = () => showProfile(name, request, ports);
      await withCurrent(() => ports.profiles.update(name, profile, revision), show);
      return show();
    },
  }),
  implement(routes.removeProfile, {
    handle: (request, ports) => ports.profiles.remove(request.params.profile),
  }),
];

function assertMayStore(
  name: string,
  profile: CheckedProfile,
  { identity }: Requester,
  { profiles, toolbox: { config } }: ApiPorts,
): void {
  const { approval } = buildProfile(name, profile, config);
  const stored = profiles.find(name);
  const current = stored && buildProfile(name, stored, config).approval;
  assertNotLoosened(identity, approval, config.toolbox.approval, current);
}

type Requester = Pick<ApiRequest, 'identity'>;

function visibleProfiles({ identity }: Requester, { toolbox }: ApiPorts): readonly ProfileConfig[] {
  const { profile: own = 'default' } = identity;
  return toolbox.config.profiles.filter(({ name }) => seesAll(identity) || name === own);
}

async function showProfile(name: string, request: Requester, ports: ApiPorts): Promise<ProfileView> {
  const profile = visibleProfiles(request, ports).find((candidate) => candidate.name === name);
  if (!profile) throw noRecord('profile', name);
  const exposure = await describeExposure(profile, ports.toolbox);
  return { ...(await createShow(request, ports))(profile), exposure };
}

/** Shows profiles as the caller may see them. */
async function createShow(
  { identity }: Requester,
  { profiles, storage, toolbox }: ApiPorts,
): Promise<(profile: ProfileConfig) => ProfileView> {
  const mayEdit = hasRight(identity, 'profiles.write');
  const keys: readonly ApiKey[] = mayEdit ? await storage.keys.list() : [];
  return ({ name, description, builtIn, naming, expose, exposeBudget, newTools, approval, ...lists }) => {
    const record = profiles.find(name);
    const isInFile = !record && !builtIn;
    const file = mayEdit ? toolbox.loaded.file : undefined;
    return {
      name,
      description,
      path: endpointPath(name),
      source: record ? 'store' : builtIn ? 'built-in' : 'file',
      readOnly: isInFile ? readOnlyReason('profile', name, file) : undefined,
      naming,
      expose,
      exposeBudget,
      newTools,
      mode: approval.mode,
      updatedAt: record?.updatedAt,
      revision: record?.revision,
      ...(mayEdit && {
        ...lists,
        approval,
        settings: record
          ? toSettings(record)
          : { description, naming, expose, exposeBudget, newTools, ...lists, approval: toInput(approval) },
        keys: keys.filter((key) => key.profile === name && key.revokedAt === undefined).length,
      }),
    };
  };
}

function toSettings(record: Stored<ProfileRecord>) {
  const { id: _id, name: _name, createdAt: _created, updatedAt: _updated, revision: _revision, ...settings } = record;
  return settings;
}

/** Approval settings in the format of a request, where the duration has another name. */
function toInput({ expiresMs, ...approval }: ProfileConfig['approval']) {
  return { ...approval, expires: expiresMs };
}

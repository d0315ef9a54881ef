import { isObject, type JsonObject } from '../../../contract/json.ts';
import { uriKey } from '../../../toolwharf/kernel/skill.ts';
import type { Visibility } from '../../../toolwharf/policy/visible-tools.ts';
import type { ResourceOwners } from '../../../toolwharf/servers/resource-owners.ts';
import type { Offered } from '../../../toolwharf/servers/server-content.ts';
import type { ServerInfo } from '../../../toolwharf/servers/server-info.ts';
import { matchTemplate } from '../../../toolwharf/servers/uri-templates.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import type { AppUris, ServerResource, SkillView } from './view-parts.ts';

/** The resources that a profile exposes. */
export interface ViewResources {
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  /** The server that serves a resource, and its own URI for it; undefined if the profile hides the resource. */
  findResource(uri: string): ServerResource | undefined;
  findTemplate(uriTemplate: string): string | undefined;
  /** The servers with per-user credentials. Their resources are in the lists of accounts only. */
  readonly personalServers: readonly string[];
}

export interface ViewResourcesPorts {
  readonly offers: Pick<InternalToolbox['resources'], 'list' | 'listTemplates'>;
  readonly visibility: Pick<Visibility, 'hasServer' | 'hasResource'>;
  /** The servers of the profile. */
  readonly servers: readonly Pick<ServerInfo, 'name' | 'offers' | 'status'>[];
  /** True for a server with per-user credentials. */
  readonly isPersonal: (server: string) => boolean;
  readonly appUris: AppUris;
  readonly skills: Pick<InternalToolbox['skills'], 'isOfSkill'>;
  readonly skillView: Pick<SkillView, 'findFile' | 'exposedUri'>;
  readonly owners: Pick<ResourceOwners, 'find' | 'findTemplate'>;
}

export function listResources(ports: ViewResourcesPorts): ViewResources {
  const { offers, visibility, servers, appUris, skills, skillView, owners, isPersonal } = ports;
  const { hasServer, hasResource } = visibility;
  const isOfSkill = ({ server, item }: Offered) => skills.isOfSkill(server, String(item.uri));
  const listed = offers.list();
  const ofSkills = listed.filter(isOfSkill);
  const others = listed.filter((one) => !isOfSkill(one));
  const isVisible = (server: string, uri: string) => hasResource(server, uri) && !isSkillOfAnother(server, uri);
  const names = servers.map(({ name }) => name);
  const personalServers = servers
    .filter(({ name, status }) => isPersonal(name) && hasResources(status))
    .map(({ name }) => name);
  /** A URI that belongs to another server of the profile could not be read: clients would get the resource of that server. */
  const isOwn = (server: string, uri: string) => appUris.isApp(uri) || (owners.find(uri, names) ?? server) === server;
  const offered = others.filter(
    ({ server, item }) => isVisible(server, String(item.uri)) && isOwn(server, String(item.uri)),
  );
  const resources = uniqueBy(
    [
      ...ofSkills.flatMap((one) => {
        const uri = skillView.exposedUri(one.server, String(one.item.uri));
        return uri === undefined ? [] : [withUri(one, uri)];
      }),
      ...offered.map((one) => withUri(one, appUris.toExposed({ server: one.server, uri: String(one.item.uri) }))),
    ],
    'uri',
  );
  const templates = uniqueBy(
    offers.listTemplates().filter(({ server, item }) => {
      const template = String(item.uriTemplate);
      return hasResource(server, template) && (owners.findTemplate(template, names) ?? server) === server;
    }),
    'uriTemplate',
  );
  const serversOfApps = Map.groupBy(
    offered.filter(({ item }) => appUris.isApp(String(item.uri))),
    ({ item }) => String(item.uri),
  );

  /** The first segment of a skill's URI names its server for clients: no other server may take its place. */
  function isSkillOfAnother(server: string, uri: string): boolean {
    const [, named] = /^skill:\/\/([^/]+)/.exec(uriKey(uri) ?? '') ?? [];
    return named !== server && servers.some(({ name }) => name === named);
  }

  function locate(uri: string): ServerResource | undefined {
    const app = appUris.find(uri);
    if (app) return app;
    const listed = resources.get(uri);
    if (listed) return { server: listed.server, uri: listed.originalUri };
    if (appUris.isApp(uri)) return locateApp(uri);
    const server = owners.find(uri, names) ?? findUnlisted(uri);
    return server === undefined ? undefined : { server, uri };
  }

  /** Apps use the URIs of their own server. A prefix decides: no other server may take the place of the server that it names. */
  function locateApp(uri: string): ServerResource | undefined {
    const [only, ...others] = serversOfApps.get(uri) ?? [];
    const own = only && others.length === 0 ? only.server : findUnlisted(uri);
    const prefixed = appUris.parse(uri, (name) => servers.some((server) => server.name === name));
    if (prefixed && (!only || own !== prefixed.server)) return prefixed;
    return own === undefined || others.length > 0 ? undefined : { server: own, uri };
  }

  function findUnlisted(uri: string): string | undefined {
    // All templates, also hidden ones: a profile may show some of a template's resources.
    for (const { server, item } of offers.listTemplates())
      if (hasServer(server) && matchTemplate(String(item.uriTemplate), uri, true)) return server;
    // The lists of an account are those of its owner alone, so that such a server never lists its resources here.
    if (personalServers.length === 1) return personalServers[0];
    // Servers may serve resources that they do not list. A single candidate is unambiguous.
    const candidates = servers.filter((server) => server.offers.resources || server.offers.resourceTemplates);
    return candidates.length === 1 ? candidates[0]?.name : undefined;
  }

  return {
    resources: [...resources.values()].map(({ item }) => item),
    resourceTemplates: [...templates.values()].map(({ item }) => item),
    findResource(uri) {
      const file = skillView.findFile(uri);
      if (file) return file.server === undefined ? undefined : { server: file.server, uri: file.uri };
      const found = locate(uri);
      if (!found || skills.isOfSkill(found.server, found.uri)) return undefined;
      return isVisible(found.server, found.uri) ? found : undefined;
    },
    personalServers,
    findTemplate: (uriTemplate) => templates.get(uriTemplate)?.server,
  };
}

function hasResources({ capabilities }: ServerInfo['status']): boolean {
  return isObject(capabilities?.resources);
}

function withUri({ server, item }: Offered, uri: string): Offered & { readonly originalUri: string } {
  const originalUri = String(item.uri);
  return { server, item: uri === originalUri ? item : { ...item, uri }, originalUri };
}

/** Indexes items by one member. If two servers offer the same item, the server that is configured first wins. */
function uniqueBy<Item extends Offered>(offered: readonly Item[], member: string): Map<string, Item> {
  const found = new Map<string, Item>();
  for (const one of offered) {
    const key = String(one.item[member]);
    if (!found.has(key)) found.set(key, one);
  }
  return found;
}

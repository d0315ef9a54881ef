import { isAppUri } from '../../catalog/app-tools.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { uriKey } from '../../kernel/skill.ts';
import type { Visibility } from '../../policy/visible-tools.ts';
import type { Offered } from '../../servers/server-content.ts';
import type { ServerInfo } from '../../servers/server-info.ts';
import type { InternalToolbox } from '../../toolbox.ts';
import type { AppUris, ServerResource } from './app-uris.ts';
import type { SkillView } from './skill-view.ts';

/** The resources that a profile exposes. */
export interface ViewResources {
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  /** The server that serves a resource, and its own URI for it; undefined if the profile hides the resource. */
  findResource(uri: string): ServerResource | undefined;
  findTemplate(uriTemplate: string): string | undefined;
}

export interface ViewResourcesPorts {
  readonly offers: Pick<InternalToolbox['resources'], 'list' | 'listTemplates'>;
  readonly visibility: Pick<Visibility, 'hasServer' | 'hasResource'>;
  /** The servers of the profile. */
  readonly servers: readonly Pick<ServerInfo, 'name' | 'offers'>[];
  readonly appUris: AppUris;
  readonly skills: Pick<InternalToolbox['skills'], 'isOfSkill'>;
  readonly skillView: Pick<SkillView, 'findFile' | 'exposedUri'>;
}

export function listResources(ports: ViewResourcesPorts): ViewResources {
  const { offers, visibility, servers, appUris, skills, skillView } = ports;
  const { hasServer, hasResource } = visibility;
  const isOfSkill = ({ server, item }: Offered) => skills.isOfSkill(server, String(item.uri));
  const listed = offers.list();
  const ofSkills = listed.filter(isOfSkill);
  const others = listed.filter((one) => !isOfSkill(one));
  const isVisible = (server: string, uri: string) => hasResource(server, uri) && !isSkillOfAnother(server, uri);
  const offered = others.filter(({ server, item }) => isVisible(server, String(item.uri)));
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
    offers.listTemplates().filter(({ server, item }) => hasResource(server, String(item.uriTemplate))),
    'uriTemplate',
  );
  const serversOfApps = Map.groupBy(
    offered.filter(({ item }) => isAppUri(String(item.uri))),
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
    if (isAppUri(uri)) return locateApp(uri);
    const server = findUnlisted(uri);
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
      if (hasServer(server) && matchTemplate(String(item.uriTemplate), uri)) return server;
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
    findTemplate: (uriTemplate) => templates.get(uriTemplate)?.server,
  };
}

/** True if the URI matches the template (RFC 6570, as MCP servers use it). Runs in linear time. */
export function matchTemplate(template: string, uri: string): boolean {
  const literals = template.split(/\{[^{}]*\}/);
  const [first = '', ...rest] = literals;
  if (rest.length === 0) return template === uri;
  if (!uri.startsWith(first)) return false;
  const last = rest[rest.length - 1] ?? '';
  let at = first.length;
  for (const literal of rest.slice(0, -1)) {
    const found = uri.indexOf(literal, at);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return uri.endsWith(last) && uri.length - last.length >= at;
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

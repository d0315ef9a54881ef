import type { Naming } from '../../../contract/settings/choices.ts';
import { isAppUri, toolAppOf } from '../../../toolwharf/catalog/app-tools.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { AppUris, ServerResource } from '../../core/mcp/view-parts.ts';

/**
 * The client-facing URIs of apps. Servers choose their URIs freely, so two servers may use the same one, but a tool must always
 * open the app of its own server. Where tool names have a prefix, these URIs have one too: `ui://{server}/…`. In plain naming,
 * a URI belongs to the first server that has a tool with this app, and only other servers get the prefix.
 */
export function createAppUris(entries: Iterable<CatalogEntry>, naming: Naming): AppUris {
  const owners = new Map<string, string>();
  const exposed = new Map<string, ServerResource>();
  const isPlain = naming === 'plain';

  function toExposed({ server, uri }: ServerResource): string {
    if (!isAppUri(uri) || (isPlain && (owners.get(uri) ?? server) === server)) return uri;
    return `${scheme}${encodeURIComponent(server)}/${uri.slice(scheme.length)}`;
  }

  for (const { server, definition } of entries) {
    const { resourceUri: uri } = toolAppOf(definition);
    if (server === undefined || uri === undefined) continue;
    if (!owners.has(uri)) owners.set(uri, server);
    exposed.set(toExposed({ server, uri }), { server, uri });
  }

  return {
    isApp: isAppUri,
    toExposed,
    find: (uri) => exposed.get(uri),
    parse(uri, hasServer) {
      const [, name = '', rest = ''] = isAppUri(uri) ? (/^ui:\/\/([^/]+)\/(.+)$/s.exec(uri) ?? []) : [];
      const server = decode(name);
      if (server === undefined || rest === '' || !hasServer(server)) return undefined;
      const own = { server, uri: `${scheme}${rest}` };
      return toExposed(own) === uri ? own : undefined;
    },
  };
}

const scheme = 'ui://';

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

import { isObject, type JsonObject } from '../../contract/json.ts';
import { exactMember, replaceMembers } from '../kernel/exact-json.ts';

/** The protocol extension MCP Apps. */
export const appsExtension = 'io.modelcontextprotocol/ui';

/** The media type of apps. */
export const appMediaType = 'text/html;profile=mcp-app';

/** The member of `capabilities.extensions` with which a client announces that it shows apps. */
export const appsCapability: JsonObject = { [appsExtension]: { mimeTypes: [appMediaType] } };

/** True if the capabilities of a client announce that it shows apps. */
export function showsApps({ extensions }: JsonObject): boolean {
  const apps = isObject(extensions) ? extensions[appsExtension] : undefined;
  if (!isObject(apps)) return false;
  return !Array.isArray(apps.mimeTypes) || apps.mimeTypes.includes(appMediaType);
}

/** The app settings in the definition of a tool. */
export interface ToolApp {
  /** The app that shows the results of the tool, a `ui://` URI. */
  readonly resourceUri?: string;
  /** Models may see and call the tool. */
  readonly isForModel: boolean;
  /** Apps of the same server may call the tool. */
  readonly isForApp: boolean;
}

interface WithMeta extends JsonObject {
  readonly _meta?: unknown;
}

const noApp: ToolApp = { isForModel: true, isForApp: true };

/** The older form of `ui.resourceUri`. */
const flatMember = 'ui/resourceUri';

export function toolAppOf({ _meta }: WithMeta): ToolApp {
  if (!isObject(_meta)) return noApp;
  const ui = isObject(_meta.ui) ? _meta.ui : {};
  const uri = ui.resourceUri ?? _meta[flatMember];
  const visibility = Array.isArray(ui.visibility) ? ui.visibility : ['model', 'app'];
  return {
    resourceUri: typeof uri === 'string' && isAppUri(uri) ? uri : undefined,
    isForModel: visibility.includes('model'),
    isForApp: visibility.includes('app'),
  };
}

/** False for a tool that only apps may call: agents neither see nor call it. */
export function isForModels({ definition }: { readonly definition: WithMeta }): boolean {
  return toolAppOf(definition).isForModel;
}

/** True for the URI of an app. */
export function isAppUri(uri: string): boolean {
  return uri.startsWith('ui://');
}

/** Replaces the URI of the app in a tool definition or a result, in both forms. */
export function mapAppUri<Item extends WithMeta>(item: Item, map: (uri: string) => string): Item {
  if (!isObject(item._meta)) return item;
  const meta = exactMember(item, '_meta') as JsonObject;
  const { ui, [flatMember]: flat } = meta;
  const nested = isObject(ui) && typeof ui.resourceUri === 'string' ? ui.resourceUri : undefined;
  if (nested === undefined && typeof flat !== 'string') return item;
  return replaceMembers(item, {
    _meta: {
      ...meta,
      ...(nested !== undefined && { ui: { ...(ui as JsonObject), resourceUri: map(nested) } }),
      ...(typeof flat === 'string' && { [flatMember]: map(flat) }),
    },
  }) as Item;
}

/** The definition of a tool that apps must not call. */
export function withoutAppCalls<Item extends WithMeta>(item: Item): Item {
  const { _meta } = item;
  const ui = isObject(_meta) && isObject(_meta.ui) ? _meta.ui : {};
  return { ...item, _meta: { ...(isObject(_meta) && _meta), ui: { ...ui, visibility: ['model'] } } };
}

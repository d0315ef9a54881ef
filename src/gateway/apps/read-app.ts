import { appMediaType } from '../../catalog/app-tools.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import { type AppSources, grantSources } from './content-policy.ts';

/** An app as the web app needs it. */
export interface ReadApp {
  readonly html: string;
  readonly prefersBorder?: boolean;
  readonly sources: AppSources;
  /** The origins that the app asks for and does not get. */
  readonly refused: readonly string[];
}

export interface AppResource {
  /** The result of `resources/read`. */
  readonly contents: JsonObject;
  /** The resource in the list of the server, whose `_meta` applies if the content has none. */
  readonly listed: JsonObject | undefined;
  readonly uri: string;
}

const maxHtmlLength = 8 * 1024 * 1024;

/** Reads the app from its resource. Throws `SERVER_PROTOCOL` if the resource is not an app. */
export function readApp({ contents, listed, uri }: AppResource, domains: readonly string[]): ReadApp {
  const parts = Array.isArray(contents.contents) ? contents.contents.filter(isObject) : [];
  const content = parts.find((part) => part.mimeType === appMediaType);
  const html = content && htmlOf(content);
  if (html === undefined)
    throw new ToolwharfError('SERVER_PROTOCOL', `The resource ${uri.slice(0, 200)} is not an app: no ${appMediaType}`);
  if (html.length > maxHtmlLength)
    throw new ToolwharfError('SERVER_PROTOCOL', `The app ${uri.slice(0, 200)} is larger than 8 MiB`);
  const ui = uiOf(content) ?? uiOf(listed) ?? {};
  const { granted, refused } = grantSources(ui.csp, domains);
  return {
    html,
    prefersBorder: typeof ui.prefersBorder === 'boolean' ? ui.prefersBorder : undefined,
    sources: granted,
    refused,
  };
}

function htmlOf({ text, blob }: JsonObject): string | undefined {
  if (typeof text === 'string') return text;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString('utf8') : undefined;
}

function uiOf(item: JsonObject | undefined): JsonObject | undefined {
  return isObject(item?._meta) && isObject(item._meta.ui) ? item._meta.ui : undefined;
}

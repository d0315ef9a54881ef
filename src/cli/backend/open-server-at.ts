import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../errors.ts';
import { openLocalTools } from './local-tools.ts';
import type { OpenOptions } from './open-toolbox.ts';
import type { ToolAccess } from './tool-access.ts';

/** Whether an argument is the URL of a server rather than a name. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Opens a server that is not configured, by its URL. It is named after its host. */
export async function openServerAt(
  text: string,
  headers: Readonly<Record<string, string>>,
  context: CommandContext,
  options: OpenOptions = {},
): Promise<ToolAccess & { readonly name: string }> {
  const url = URL.parse(text);
  if (!url) throw new UsageError(`'${text}' is not a valid URL`);
  const name = url.hostname.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'server';
  const source = { servers: { [name]: { url: url.href, headers, allowInsecure: url.protocol === 'http:' } } };
  const opened = await openLocalTools(context, { ...options, source, sourceName: `${url.origin}${url.pathname}` });
  return { ...opened, name };
}

import { dataDirectory } from '../../config/data-directory.ts';
import { findConfigFile } from '../../config/load-config.ts';
import { openConfig } from '../../config/open-config.ts';
import type { CommandContext } from '../command.ts';
import { createTerminalLog } from '../terminal/terminal-log.ts';
import { expectStore, type OpenStoreOptions, storePlace } from './open-store.ts';

/** How to open the store that the command line and the configuration name; throws where there is none. */
export async function storeOf(
  context: CommandContext,
  options: { readonly database?: string },
): Promise<OpenStoreOptions> {
  const place = await storePlaceOf(context, options);
  await expectStore(place);
  return place;
}

/** The same, whether there is one already or not. */
export async function storePlaceOf(
  context: CommandContext,
  options: { readonly database?: string } = {},
): Promise<OpenStoreOptions> {
  const { env, terminal } = context;
  const file = context.options.config ?? (await findConfigFile(process.cwd()));
  // Without a file there is nothing to read: the default servers say nothing about the store.
  const { gateway } = file === undefined ? { gateway: {} } : (await openConfig(file, { env })).config;
  const place = storePlace(dataDirectory(env), options, gateway, env);
  return { ...place, env, log: createTerminalLog(terminal, context.options.logLevel, () => false) };
}

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Profile } from '../../../contract/api-types.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import { requireStored } from '../client/open-stored.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { jsonText, oneLine } from '../terminal/format.ts';
import { printDone, printList } from '../terminal/print-table.ts';

export interface ProfileOptions extends JsonOption {
  readonly file?: string;
  readonly description?: string;
  readonly server?: readonly string[];
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly naming?: string;
  readonly expose?: string;
  readonly exposeBudget?: string;
  readonly alwaysList?: readonly string[];
  readonly newTools?: string;
  readonly maxInlineResultBytes?: string;
  readonly approval?: string;
}

/** `toolwharf profiles`: lists the profiles of the running gateway. */
export async function listProfiles({ json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const { profiles } = await gateway.listProfiles();
  const patterns = (list: readonly string[] | undefined, none: string) => (list?.length ? list.join(', ') : none);
  printList(context.terminal, profiles, {
    json,
    empty: 'No profiles.',
    columns: {
      NAME: ({ name }) => name,
      SOURCE: ({ source }) => source,
      SERVERS: ({ servers }) => patterns(servers, 'all'),
      EXPOSE: ({ expose }) => expose,
      APPROVAL: ({ mode }) => mode,
      KEYS: ({ keys }) => String(keys ?? ''),
      URL: ({ path }) => `${gateway.url}${path}`,
    },
    whole: ['URL'],
    main: ['NAME', 'SOURCE', 'APPROVAL'],
    optional: ['KEYS', 'EXPOSE', 'SERVERS'],
  });
  return exitCodes.ok;
}

/** `toolwharf profiles show`: prints the settings of a profile as JSON, which `create --file` accepts. */
export async function showProfile(name: string, _options: object, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const { settings } = await gateway.getProfile({ path: { profile: name } });
  context.terminal.print(jsonText(settings ?? {}));
  return exitCodes.ok;
}

/** `toolwharf profiles create`: stores a profile. */
export async function createProfile(name: string, options: ProfileOptions, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const created = await gateway.createProfile({ body: { ...(await readSettings(options)), name } });
  return report('Created', created, gateway, options, context);
}

/** `toolwharf profiles edit`: changes the given settings of a stored profile and keeps the others. */
export async function editProfile(name: string, options: ProfileOptions, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const { settings, revision, source } = await gateway.getProfile({ path: { profile: name } });
  const before = source === 'built-in' ? {} : (settings ?? {});
  const given = await readSettings(options);
  const approval = { ...toObject(before.approval), ...toObject(given.approval) };
  const changed = { ...before, ...given, ...(Object.keys(approval).length > 0 && { approval }), revision };
  return report(
    'Changed',
    await gateway.updateProfile({ path: { profile: name }, body: changed }),
    gateway,
    options,
    context,
  );
}

/** `toolwharf profiles remove`: deletes a stored profile. */
export async function removeProfile(name: string, options: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  await gateway.removeProfile({ path: { profile: name } });
  printDone(context.terminal, options, `Removed: ${oneLine(name)}`, { name });
  return exitCodes.ok;
}

function report(
  done: string,
  profile: Profile,
  { url }: Pick<GatewayClient, 'url'>,
  { json }: JsonOption,
  { terminal }: CommandContext,
): number {
  terminal.print(json ? jsonText(profile) : `${done}: ${profile.name}, served at ${url}${profile.path}`);
  return exitCodes.ok;
}

async function readSettings(options: ProfileOptions) {
  const { file, description, server, allow, deny, naming, expose, exposeBudget, alwaysList, approval } = options;
  const { maxInlineResultBytes, newTools } = options;
  const fromFile = file === undefined ? {} : parse(await readFile(file, 'utf8'));
  if (!isObject(fromFile)) throw new ToolwharfError('CONFIG_INVALID', `${file} must contain the settings of a profile`);
  const given = {
    ...{ description, servers: server, allow, deny, naming, expose, alwaysList, newTools },
    // The gateway rejects what is not a number.
    exposeBudget: toNumber(exposeBudget),
    maxInlineResultBytes: toNumber(maxInlineResultBytes),
    approval: approval && { mode: approval },
  };
  return { ...fromFile, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

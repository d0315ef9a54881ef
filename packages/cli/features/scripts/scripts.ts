import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Script } from '../../../contract/api-types.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { formFields } from '../../../contract/form-fields.ts';
import { isObject, omitUndefined } from '../../../contract/json.ts';
import { requireStored } from '../../core/client/open-stored.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes } from '../../core/errors.ts';
import { readSettings } from '../../core/program/setting-options.ts';
import { jsonText, oneLine } from '../../core/terminal/format.ts';
import { printDone, printList } from '../../core/terminal/print-table.ts';

export interface SaveScriptOptions extends JsonOption {
  readonly input?: string;
}

/** `toolwharf scripts`: lists the scripts of the running gateway that are tools. */
export async function listScripts({ json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const { scripts } = await gateway.listScripts();
  printList(context.terminal, scripts, {
    json,
    empty: 'No scripts. Save one with `toolwharf scripts save NAME FILE`.',
    columns: {
      NAME: ({ name }) => name,
      SOURCE: ({ source }) => source,
      TOOL: ({ tool }) => tool ?? '',
      DESCRIPTION: ({ description }) => description ?? '',
    },
    main: ['NAME', 'TOOL'],
  });
  return exitCodes.ok;
}

/** `toolwharf scripts show`: prints the code of a script, which `save` accepts; with `--json`, the whole script. */
export async function showScript(name: string, { json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const script = await gateway.getScript({ path: { script: name } });
  context.terminal.print(json ? jsonText(script) : script.code.replace(/\n$/, ''));
  return exitCodes.ok;
}

/** `toolwharf scripts save`: saves a file as a script, or replaces the code and the given settings of a saved one. */
export async function saveScript(
  name: string,
  file: string,
  options: SaveScriptOptions,
  context: CommandContext,
): Promise<number> {
  const gateway = await requireStored(context);
  const given = { ...(await readOptions(options)), code: await readFile(file, 'utf8') };
  const { scripts } = await gateway.listScripts();
  const before = scripts.find((script) => script.name === name);
  const saved = before
    ? await gateway.updateScript({ path: { script: name }, body: { ...toSettings(before), ...given } })
    : await gateway.createScript({ body: { ...given, name } });
  const { json } = options;
  context.terminal.print(json ? jsonText(saved) : `Saved: ${saved.name}, called as ${saved.tool ?? saved.name}`);
  return exitCodes.ok;
}

/** `toolwharf scripts remove`: deletes a saved script. */
export async function removeScript(name: string, options: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  await gateway.removeScript({ path: { script: name } });
  printDone(context.terminal, options, `Removed: ${oneLine(name)}`, { name });
  return exitCodes.ok;
}

/** The settings of a script in the format of a request. */
function toSettings(script: Script) {
  const { input, timeoutMs: timeout, revision } = script;
  const settings = formFields.script.map(({ key }) => [key, script[key as keyof Script]]);
  return { ...Object.fromEntries(settings), input, timeout, revision };
}

async function readOptions({ input: file, ...options }: SaveScriptOptions) {
  const input = file === undefined ? undefined : parse(await readFile(file, 'utf8'));
  if (input !== undefined && !isObject(input))
    throw new ToolwharfError('CONFIG_INVALID', `${file} must contain a JSON Schema`);
  return omitUndefined({ input, ...readSettings('script', options) });
}

import { Argument, type Command, Option } from 'commander';
import type { formFields } from '../../../contract/form-fields.ts';
import type { Run } from '../command-context.ts';
import type { DoctorCheck } from '../commands/doctor/check-system.ts';
import { MissingRouteError, UnavailableError } from '../errors.ts';

/** A command's implementation: takes the positional arguments, the options and the context; returns the exit code. */
type Handler = (...args: never[]) => Promise<number>;

/** The names of the handlers that a module exports. */
type HandlerOf<Module> = { [Name in keyof Module]: Module[Name] extends Handler ? Name : never }[keyof Module];

/** Adds a command whose handler is an export of a module. */
export type AddCommand<Module> = (
  parent: Command,
  name: string,
  description: string,
  handler: HandlerOf<Module>,
  parts?: CommandParts,
) => Command;

/** Creates a function that adds commands of a module, which is loaded when one of them runs: help and version need no command's code. */
export function commandsOf<Module>(run: Run, load: () => Promise<Module>): AddCommand<Module> {
  return (parent, name, description, handler, parts = {}) =>
    addCommand(parent, name, description, parts).action(async (...given: unknown[]) => {
      const command = given.at(-1) as Command;
      const args = given.slice(0, -2);
      await run(async (context) => {
        const handle = (await load())[handler] as (...args: unknown[]) => Promise<number>;
        // An option given before the subcommand applies to it too.
        const options = command.optsWithGlobals();
        const { url, local } = gatewayCommands.has(command) ? options : {};
        return handle(...args, options, { ...context, options: { ...context.options, url, local } });
      });
    });
}

/** What a command takes, besides its name and description. */
export interface CommandParts {
  readonly args?: readonly (Argument | readonly [string, string])[];
  readonly options?: readonly (Option | OptionParts)[];
  /** The record whose settings are options, which the command has once it is used: what describes them takes time to load. */
  readonly settings?: keyof typeof formFields;
  /** Printed below the help. */
  readonly help?: string;
  /** Only a running gateway can carry it out, and its subcommands: they reject `--local`, and their help omits it. */
  readonly gatewayOnly?: boolean;
  /** It uses no gateway. */
  readonly withoutGateway?: boolean;
  /** The help does not list it. */
  readonly isHidden?: boolean;
}

export type OptionParts =
  | readonly [string, string]
  | readonly [string, string, (value: string, previous: readonly string[] | undefined) => readonly string[]];

/** Adds a command without a handler: one with subcommands only, or one that gets its action later. */
export function addCommand(parent: Command, name: string, description: string, parts: CommandParts = {}): Command {
  const command = parent.command(name, { hidden: parts.isHidden }).description(description);
  for (const one of parts.args ?? []) command.addArgument(one instanceof Argument ? one : new Argument(...one));
  for (const option of parts.options ?? []) {
    if (option instanceof Option) command.addOption(option);
    else if (option.length === 3) command.option(...option);
    else command.option(...option);
  }
  if (parts.settings) {
    settingsOf.set(command, parts.settings);
    parent.hook('preSubcommand', (_parent, used) => (used === command ? addSettingOptions(command) : undefined));
  }
  if (parts.help !== undefined) command.addHelpText('after', `\n${parts.help}`);
  if (parts.gatewayOnly) gatewayOnly.add(command);
  if (parts.withoutGateway) withoutGateway.add(command);
  return command;
}

const settingsOf = new WeakMap<Command, keyof typeof formFields>();

/** Adds the options for the settings of a record, if the command has such and not added them yet. */
export async function addSettingOptions(command: Command): Promise<void> {
  const record = settingsOf.get(command);
  if (!record) return;
  settingsOf.delete(command);
  const { settingOptions } = await import('./setting-options.ts');
  for (const option of settingOptions(record)) command.addOption(option);
}

/** Adds a command that lists things, both by its own name and with the subcommand `list`, whose description is `list`. */
export function addList<Module>(
  add: AddCommand<Module>,
  root: Command,
  name: string,
  { description, list }: { readonly description: string; readonly list: string },
  handler: HandlerOf<Module>,
  parts: CommandParts = {},
): Command {
  const withJson = { ...parts, options: [...(parts.options ?? []), json] };
  const group = add(root, name, description, handler, withJson);
  add(group, 'list', list, handler, withJson);
  return group;
}

/** The commands whose `--url` names the gateway; that of others names a server or a model provider. */
const gatewayCommands = new WeakSet<Command>();
const withoutGateway = new WeakSet<Command>();
const gatewayOnly = new WeakSet<Command>();

/** Adds `--url` and `--local` to every command that can use a gateway, except those that define `--url` themselves. */
export function addGatewayOptions(command: Command, isGatewayOnly = false): void {
  for (const child of command.commands) {
    if (withoutGateway.has(child)) continue;
    const needsGateway = isGatewayOnly || gatewayOnly.has(child);
    addGatewayOptions(child, needsGateway);
    if (child.options.some(({ long }) => long === '--url')) continue;
    gatewayCommands.add(child);
    child
      .option('--url <url>', 'Use the gateway at this URL, with the API key in TOOLWHARF_API_KEY')
      .addOption(new Option('--local', 'Use no gateway: do the work in this process').hideHelp(needsGateway));
  }
}

export const json = ['--json', 'Print JSON'] as const;

export const idArgument = ['<id>', 'Id, or its first characters'] as const;

export const serverOption = ['-s, --server <name>', 'Only use this server'] as const;

/** Creates an option with a fixed set of values. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values);
}

/** Creates an option that can be repeated. */
export function repeatable(flags: string, description: string): OptionParts {
  return [flags, description, (value, previous = []) => [...previous, value]];
}

/** The groups of commands in the help. */
export const groups = {
  gateway: 'Gateway:',
  tools: 'Tools:',
  servers: 'Servers:',
  chat: 'Chat:',
  access: 'Access control:',
  setup: 'Setup and diagnostics:',
  /** The help command belongs to it, since it is listed last. */
  data: 'Data and help:',
} as const;

/** The commands of a feature of the gateway: a folder that can be deleted, and its line in `features/index.ts`. */
export interface CommandFeature {
  /** That of the feature in the gateway. */
  readonly name: string;
  readonly group: (typeof groups)[keyof typeof groups];
  /** The command that its commands follow in the help. */
  readonly after: string;
  readonly add: (root: Command, run: Run) => void;
  /** What `doctor` checks for it; loaded when that runs. */
  readonly check?: () => Promise<DoctorCheck>;
}

/** Adds the commands of a feature. If the gateway has none of its routes, they say that the feature is switched off. */
export function addFeature(root: Command, { name, group, after, add }: CommandFeature, run: Run): void {
  const commands = root.commands as Command[];
  const before = commands.length;
  add(root.commandsGroup(group), (command) =>
    run(async (context) => {
      try {
        return await command(context);
      } catch (cause) {
        if (!(cause instanceof MissingRouteError)) throw cause;
        throw new UnavailableError(`The feature '${name}' is switched off in the configuration of the gateway`);
      }
    }),
  );
  const at = commands.findIndex((command) => command.name() === after) + 1;
  if (at > 0) commands.splice(at, 0, ...commands.splice(before));
}

import { type Command, Option } from 'commander';
import type { Run } from '../command-context.ts';

/** A command's implementation: takes the positional arguments, the options and the context; returns the exit code. */
type Handler = (...args: never[]) => Promise<number>;

/** Makes a commander action of a handler in a module. */
export type CreateAction<Module> = (select: (module: Module) => Handler) => (...args: unknown[]) => Promise<void>;

/** Creates the actions of a module, which is loaded when one of them runs: help and version need no command's code. */
export function createActions<Module>(run: Run, load: () => Promise<Module>): CreateAction<Module> {
  return (select) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const args = given.slice(0, -2);
      await run(async (context) => {
        const handler = select(await load()) as (...args: unknown[]) => Promise<number>;
        // An option given before the subcommand applies to it too.
        const options = command.optsWithGlobals();
        const { url, local } = gatewayCommands.has(command) ? options : {};
        return handler(...args, options, { ...context, options: { ...context.options, url, local } });
      });
    };
}

/** The commands whose `--url` names the gateway; that of others names a server or a model provider. */
const gatewayCommands = new WeakSet<Command>();
const withoutGateway = new Set(['serve', 'import', 'secrets', 'completion', 'complete']);

/** The commands that only a gateway can carry out, with their subcommands: they reject `--local`, and their help omits it. */
const gatewayOnly = new Set([
  ...['accounts', 'approvals', 'calls', 'events', 'fleet', 'inspect', 'keys', 'logs', 'pins', 'profiles', 'scripts'],
  ...['users', 'registry add', 'skills accept'],
  ...['connect', 'disable', 'disconnect', 'enable', 'refresh', 'remove', 'restart'].map((name) => `servers ${name}`),
]);

/** Adds `--url` and `--local` to every command that can use a gateway, except those that define `--url` themselves. */
export function addGatewayOptions(command: Command, isGatewayOnly = false): void {
  for (const child of command.commands) {
    const isTop = command.parent === null;
    if (withoutGateway.has(child.name()) && isTop) continue;
    const path = isTop ? child.name() : `${command.name()} ${child.name()}`;
    const needsGateway = isGatewayOnly || gatewayOnly.has(path);
    addGatewayOptions(child, needsGateway);
    if (child.options.some(({ long }) => long === '--url')) continue;
    gatewayCommands.add(child);
    child
      .option('--url <url>', 'Use the gateway at this URL, with the API key in TOOLWHARF_API_KEY')
      .addOption(new Option('--local', 'Use no gateway: do the work in this process').hideHelp(needsGateway));
  }
}

/** Adds a command that lists things, both by its own name and with the subcommand `list`. */
export function addListCommand(
  parent: Command,
  name: string,
  about: { readonly description: string; readonly list: string },
  action: (...args: unknown[]) => Promise<void>,
  options: readonly (readonly [string, string])[] = [],
): Command {
  const group = parent.command(name).description(about.description);
  for (const command of [group, group.command('list').description(about.list)]) {
    for (const option of options) command.option(...option);
    command.option(...jsonOption).action(action);
  }
  return group;
}

export const jsonOption = ['--json', 'Print JSON'] as const;

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

import type { Command } from 'commander';
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
        return handler(...args, command.optsWithGlobals(), context);
      });
    };
}

/** Adds a command that lists things, both by its own name and with the subcommand `list`. */
export function addListCommand(
  parent: Command,
  name: string,
  about: { readonly description: string; readonly list: string },
  action: (...args: unknown[]) => Promise<void>,
): Command {
  const group = parent
    .command(name)
    .description(about.description)
    .option(...jsonOption)
    .action(action);
  group
    .command('list')
    .description(about.list)
    .option(...jsonOption)
    .action(action);
  return group;
}

export const jsonOption = ['--json', 'Print JSON'] as const;

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

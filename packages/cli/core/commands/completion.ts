import type { Command, Option } from 'commander';
import { clientIds } from '../../../gateway/core/clients/mcp-clients.ts';
import { dataDirectory } from '../../../toolwharf/config/data-directory.ts';
import { createGatewayClient } from '../client/gateway-client.ts';
import { findGateway } from '../client/gateway-file.ts';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { addSettingOptions } from '../program/command-actions.ts';

/** The shells for which a completion script can be printed. */
export const shells = ['bash', 'zsh', 'fish'] as const;

const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_toolwharf() {
  local IFS=$'\\n'
  COMPREPLY=($(toolwharf complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _toolwharf toolwharf`,
  // zsh runs a file of fpath as the function itself at the first completion, and a sourced one to define the function.
  zsh: `#compdef toolwharf
_toolwharf() {
  local -a found
  found=(\${(f)"$(toolwharf complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then
    compadd -a found
  else
    _files
  fi
}
if [[ $funcstack[1] == _toolwharf ]]; then
  _toolwharf
else
  compdef _toolwharf toolwharf
fi`,
  fish: `function __toolwharf_complete
  set -l found (toolwharf complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c toolwharf -f -a '(__toolwharf_complete)'`,
};

/** `toolwharf completion`: prints the script that enables completion in a shell. */
export async function completion(
  shell: (typeof shells)[number],
  _options: object,
  context: CommandContext,
): Promise<number> {
  context.terminal.print(scripts[shell]);
  return exitCodes.ok;
}

/** `toolwharf complete`: prints the candidates for the last word, which the completion scripts ask for. */
export async function complete(root: Command, words: readonly string[], context: CommandContext): Promise<number> {
  const partial = words.at(-1) ?? '';
  const candidates = await candidatesFor(root, words, () => readNames(context));
  const matching = candidates.filter((candidate) => candidate.startsWith(partial));
  if (matching.length > 0) context.terminal.print(matching.join('\n'));
  return exitCodes.ok;
}

/** Names of the running gateway that can complete an argument. */
export interface KnownNames {
  readonly tools: readonly string[];
  readonly servers: readonly string[];
}

/** Every candidate for the last word; `readNames` is called only where names of the gateway can follow. */
export async function candidatesFor(
  root: Command,
  words: readonly string[],
  readNames: () => Promise<KnownNames>,
): Promise<readonly string[]> {
  const path = [root];
  for (const word of words.slice(0, -1)) {
    const child = path.at(-1)?.commands.find((command) => command.name() === word);
    if (child) path.push(child);
  }
  const command = path.at(-1) ?? root;
  await addSettingOptions(command);
  const help = root.createHelp();
  const options = path.flatMap((one) => help.visibleOptions(one));
  const previous = words.at(-2);
  const awaited =
    previous === undefined
      ? undefined
      : options.find((option) => option.required && [option.long, option.short].includes(previous));
  if (awaited) return valuesOf(awaited, readNames);
  if (words.at(-1)?.startsWith('-')) return [...new Set(options.flatMap(({ long }) => long ?? []))];
  const subcommands = help.visibleCommands(command).map((child) => child.name());
  return [...subcommands, ...(await argumentsOf(path, readNames))];
}

async function valuesOf(
  { long, argChoices }: Option,
  readNames: () => Promise<KnownNames>,
): Promise<readonly string[]> {
  if (long === '--server') return (await readNames()).servers;
  if (long === '--tool') return (await readNames()).tools;
  return argChoices ?? [];
}

async function argumentsOf(path: readonly Command[], readNames: () => Promise<KnownNames>): Promise<readonly string[]> {
  const [, first, second] = path.map((command) => command.name());
  if (first === 'connect') return clientIds;
  if (first === 'completion') return shells;
  if (first === 'call' || (first === 'pins' && second === 'accept')) return (await readNames()).tools;
  const takesServer =
    first === 'logs' || first === 'inspect' || (first === 'servers' && second !== undefined && second !== 'add');
  return takesServer ? (await readNames()).servers : [];
}

/** The names of the gateway of the data directory; none without one, since no server is started to complete a word. */
async function readNames({ env, signal }: CommandContext): Promise<KnownNames> {
  const gateway = await findGateway(dataDirectory(env));
  if (!gateway) return { tools: [], servers: [] };
  const { url, adminToken } = gateway;
  const client = createGatewayClient({ url, token: adminToken, adminToken, signal });
  const [{ tools }, { servers }] = await Promise.all([client.listTools(), client.listServers()]);
  return { tools: tools.map(({ name }) => name), servers: servers.map(({ name }) => name) };
}

import type { SkillView } from '../../../contract/api/skills.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { DefinitionChange } from '../../../toolwharf/catalog/definition-diff.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import { openServers } from '../../core/client/open-tools.ts';
import { requireGateway } from '../../core/client/select-gateway.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import type { ServerOption } from '../../core/commands/list-offers.ts';
import { exitCodes, UsageError } from '../../core/errors.ts';
import { notFound } from '../../core/find-item.ts';
import { jsonText, oneLine } from '../../core/terminal/format.ts';
import { printDone, printList } from '../../core/terminal/print-table.ts';
import { changeLines } from '../../core/terminal/terminal-approver.ts';

/** `toolwharf skills`: lists the skills of all servers and of local folders. */
export async function listSkills(options: ServerOption & JsonOption, context: CommandContext): Promise<number> {
  await using opened = await openServers(context);
  const { server } = options;
  const names = opened.servers.map(({ name }) => name);
  if (server !== undefined && !names.includes(server)) throw notFound('server', server, names);
  opened.reportUnavailable(server);
  const skills = (await opened.gateway.listSkills()).skills.filter(
    (skill) => server === undefined || skill.server === server,
  );
  printList(context.terminal, skills, {
    json: options.json,
    empty: 'No skills. Servers offer them, and `skills` in the configuration names local folders.',
    whole: ['SKILL'],
    columns: {
      SKILL: fullName,
      FILES: ({ files }) => (files === 'dynamic' ? 'generated' : String(files.length)),
      STATE: stateOf,
      DESCRIPTION: ({ description }) => description,
    },
  });
  return exitCodes.ok;
}

/** `toolwharf skills read`: prints a file of a skill. */
export async function readSkill(
  name: string,
  path: string | undefined,
  options: JsonOption,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  await using opened = await openServers(context);
  const { server, uri } = findSkill(name, (await opened.gateway.listSkills()).skills);
  const content = await opened.gateway.readSkill({ query: { server, uri, path } });
  const { text, blob = '' } = content;
  if (options.json) terminal.print(jsonText(content));
  else if (text !== undefined) terminal.print(terminal.isPerson ? toDisplayText(text, { maxLength: 1_000_000 }) : text);
  else if (terminal.isPerson) terminal.note(`${oneLine(content.path)} is not text: print it to a file with > FILE`);
  else process.stdout.write(Buffer.from(blob, 'base64'));
  return exitCodes.ok;
}

/** `toolwharf skills accept`: shows what changed and accepts exactly that version. */
export async function acceptSkill(name: string, options: JsonOption, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const gateway = await requireGateway(context);
  const { skills } = await gateway.listSkills();
  const skill = findSkill(name, skills);
  const { server, uri, definitionHash, changes = [] } = skill;
  if (skill.changed === undefined || server === undefined)
    throw new ToolwharfError('CONFLICT', `The skill ${fullName(skill)} has no change to accept`);
  if (!options.json)
    for (const change of changes as readonly DefinitionChange[])
      terminal.print(changeLines(change, terminal.colors).join('\n'));
  await gateway.acceptSkillChange({ body: { server, uri, definitionHash } });
  printDone(terminal, options, `Accepted: ${oneLine(fullName(skill))}`, { server, uri, definitionHash });
  return exitCodes.ok;
}

function fullName({ server = 'local', path }: SkillView): string {
  return `${server}/${path}`;
}

function stateOf({ changed, files, warnings = [] }: SkillView): string {
  if (changed === 'quarantine') return 'blocked until accepted';
  if (changed === 'ask') return files === 'dynamic' ? 'asks for approval' : 'asks for approval until accepted';
  return warnings.length > 0 ? 'suspicious' : 'ok';
}

/** Finds a skill by its full name, or by its own name if that is unique. */
function findSkill(name: string, skills: readonly SkillView[]): SkillView {
  const exact = skills.find((skill) => fullName(skill) === name);
  const named = exact ? [exact] : skills.filter((skill) => skill.name === name);
  const [found, other] = named;
  if (!found) throw notFound('skill', name, skills.map(fullName));
  if (!other) return found;
  throw new UsageError(`Several skills are named '${name}': choose one of ${named.map(fullName).join(', ')}`);
}

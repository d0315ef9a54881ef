import type { Permission } from '../../../contract/rights.ts';
import { requireStored } from '../client/open-stored.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes } from '../errors.ts';
import { oneLine } from '../terminal/format.ts';
import { printDone, printList } from '../terminal/print-table.ts';

export interface RoleOptions extends JsonOption {
  readonly title?: string;
  readonly description?: string;
  readonly permission?: readonly string[];
}

/** `toolwharf roles`: lists the roles. */
export async function listRoles({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { roles } = await (await requireStored(context)).listRoles();
  printList(context.terminal, roles, {
    json,
    empty: 'No roles.',
    columns: {
      NAME: ({ name }) => name,
      TITLE: ({ title }) => oneLine(title),
      GROUPS: ({ groups }) => oneLine(groups.join(', ')),
      PERMISSIONS: ({ name, permissions }) => (name === 'admin' ? 'all' : permissions.join(', ')),
    },
  });
  return exitCodes.ok;
}

/** `toolwharf roles create`: a role with permissions that the caller has. */
export async function createRole(name: string, options: RoleOptions, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const created = await gateway.createRole({ body: { name, ...toBody(options) } });
  printDone(context.terminal, options, `Created: ${created.name}`, created);
  return exitCodes.ok;
}

/** `toolwharf roles edit`: replaces what is given and keeps the rest. */
export async function editRole(name: string, options: RoleOptions, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const before = (await gateway.listRoles()).roles.find((role) => role.name === name);
  const { title = before?.title, description = before?.description, permission = before?.permissions } = options;
  const body = { ...toBody({ title, description, permission }), revision: before?.revision };
  const changed = await gateway.updateRole({ path: { role: name }, body });
  printDone(context.terminal, options, `Changed: ${changed.name}`, changed);
  return exitCodes.ok;
}

/** `toolwharf roles remove`: who has the role loses its permissions immediately. */
export async function removeRole(name: string, options: JsonOption, context: CommandContext): Promise<number> {
  await (await requireStored(context)).removeRole({ path: { role: name } });
  printDone(context.terminal, options, `Removed: ${oneLine(name)}`, { name });
  return exitCodes.ok;
}

function toBody({ title, description, permission = [] }: RoleOptions) {
  // The gateway rejects unknown permissions.
  return { title, description, permissions: permission as Permission[] };
}

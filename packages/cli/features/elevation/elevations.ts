import type { Elevation } from '../../../contract/api-types.ts';
import { requireStored } from '../../core/client/open-stored.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes, UsageError } from '../../core/errors.ts';
import { findById } from '../../core/find-item.ts';
import { oneLine, shortId } from '../../core/terminal/format.ts';
import { printDone, printList } from '../../core/terminal/print-table.ts';

export interface RequestOptions extends JsonOption {
  readonly reason?: string;
  readonly minutes?: string;
}

/** `toolwharf elevations`: lists requests for a role for a limited time. */
export async function listElevations({ json }: JsonOption, context: CommandContext): Promise<number> {
  const { elevations } = await (await requireStored(context)).listElevations();
  printList(context.terminal, elevations, {
    json,
    empty: 'Nobody has asked for a role.',
    columns: {
      ID: ({ id }) => shortId(id),
      PERSON: nameOf,
      ROLE: ({ role }) => oneLine(role),
      REASON: ({ reason }) => oneLine(reason),
      STATUS: ({ status, answeredBy }) =>
        answeredBy ? `${status} by ${oneLine(answeredBy.name ?? answeredBy.id)}` : status,
      ENDS: ({ until, minutes, status }) => until ?? (status === 'pending' ? `${minutes} min after the grant` : ''),
    },
  });
  return exitCodes.ok;
}

/** `toolwharf elevations request`: asks for a role with a personal key that has the permission to. */
export async function requestElevation(
  role: string,
  options: RequestOptions,
  context: CommandContext,
): Promise<number> {
  const { reason, minutes } = options;
  if (reason === undefined) throw new UsageError('Say why you need the role: --reason TEXT');
  const gateway = await requireStored(context);
  const body = { role, reason, minutes: minutes === undefined ? undefined : Number(minutes) };
  const asked = await gateway.requestElevation({ body });
  printDone(context.terminal, options, `Asked for: ${oneLine(asked.role)}. Another person has to grant it.`, asked);
  return exitCodes.ok;
}

/** `toolwharf elevations grant`. */
export function grantElevation(id: string, options: JsonOption, context: CommandContext): Promise<number> {
  return answer(id, 'grant', options, context);
}

/** `toolwharf elevations deny`. */
export function denyElevation(id: string, options: JsonOption, context: CommandContext): Promise<number> {
  return answer(id, 'deny', options, context);
}

/** `toolwharf elevations end`: withdraws a request or ends a granted role. */
export async function endElevation(id: string, options: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const { elevations } = await gateway.listElevations();
  const ended = await gateway.endElevation({ path: { elevation: findById(id, elevations, 'request').id } });
  const done = ended.status === 'withdrawn' ? 'Withdrawn' : 'Ended';
  printDone(context.terminal, options, `${done}: ${oneLine(ended.role)} for ${nameOf(ended)}`, ended);
  return exitCodes.ok;
}

async function answer(
  id: string,
  answered: 'grant' | 'deny',
  options: JsonOption,
  context: CommandContext,
): Promise<number> {
  const gateway = await requireStored(context);
  const { elevations } = await gateway.listElevations();
  const path = { elevation: findById(id, elevations, 'request').id };
  const found = await gateway.answerElevation({ path, body: { answer: answered } });
  const done = answered === 'grant' ? 'Granted' : 'Denied';
  printDone(context.terminal, options, `${done}: ${oneLine(found.role)} for ${nameOf(found)}`, found);
  return exitCodes.ok;
}

function nameOf({ askedBy }: Elevation): string {
  return oneLine(askedBy.name ?? askedBy.id);
}

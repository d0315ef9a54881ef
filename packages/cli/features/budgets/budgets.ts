import { durationText } from '../../../contract/settings/durations.ts';
import { requireStored } from '../../core/client/open-stored.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes } from '../../core/errors.ts';
import { oneLine } from '../../core/terminal/format.ts';
import { printList } from '../../core/terminal/print-table.ts';

/** `toolwharf policy budgets`: lists the budgets, each with those who used most of it. */
export async function listBudgets({ json }: JsonOption, context: CommandContext): Promise<number> {
  const gateway = await requireStored(context);
  const { budgets } = await gateway.listBudgets();
  const unused = { subject: {}, used: 0 };
  const rows = budgets.flatMap((budget) =>
    (budget.uses.length > 0 ? budget.uses : [{ ...unused, left: budget.max }]).map((use) => ({ budget, use })),
  );
  if (json) {
    printList(context.terminal, budgets, { json, empty: '', columns: {} });
    return exitCodes.ok;
  }
  printList(context.terminal, rows, {
    empty: 'The configuration has no budgets.',
    columns: {
      ID: ({ budget }) => oneLine(budget.id),
      FOR: ({ use }) => oneLine(Object.values(use.subject).join(', ')) || 'all',
      USED: ({ use }) => `${use.used}`,
      LEFT: ({ use }) => `${use.left}`,
      MAX: ({ budget }) => `${budget.max}`,
      OF: ({ budget }) => budget.count ?? oneLine(budget.sum ?? ''),
      IN: ({ budget }) => durationText(budget.windowMs),
      THEN: ({ budget }) => budget.then,
      MODE: ({ budget }) => budget.mode,
    },
    main: ['ID', 'FOR', 'USED', 'LEFT'],
    optional: ['MODE', 'THEN', 'OF', 'IN', 'MAX'],
  });
  return exitCodes.ok;
}

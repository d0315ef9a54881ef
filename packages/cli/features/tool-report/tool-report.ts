import { openServers } from '../../core/client/open-tools.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import type { ServerOption } from '../../core/commands/list-offers.ts';
import { exitCodes } from '../../core/errors.ts';
import { jsonText, oneLine } from '../../core/terminal/format.ts';
import { printList } from '../../core/terminal/print-table.ts';

interface ReportOptions extends ServerOption, JsonOption {
  readonly days?: string;
}

/** `toolwharf tools report`: lists the tools with problems, and descriptions that would help. */
export async function reportTools({ days, server, json }: ReportOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  await using opened = await openServers(context);
  opened.reportUnavailable(server);
  const query = { ...(days !== undefined && { days: Number(days) }), ...(server !== undefined && { server }) };
  const report = await opened.gateway.reportTools({ query });
  if (json) {
    terminal.print(jsonText(report));
    return exitCodes.ok;
  }
  printList(terminal, report.tools, {
    empty: 'No tool has a problem.',
    whole: ['TOOL'],
    columns: {
      TOOL: ({ server: of, originalName }) => (of === undefined ? originalName : `${of}/${originalName}`),
      TOKENS: ({ tokens }) => String(tokens),
      CALLS: ({ calls }) => String(calls),
      PROBLEMS: ({ problems }) => problems.map(({ text }) => text).join(' '),
    },
    main: ['PROBLEMS'],
  });
  for (const { name, proposal } of report.tools) {
    if (proposal) terminal.print(`\nProposed description of ${oneLine(name)}:\n  ${oneLine(proposal.description)}`);
  }
  const { counted, found, foundWithProposals } = report.searches;
  terminal.say(
    `\nAll definitions cost about ${report.tokens} tokens, ${report.unusedTokens} of them for tools that nobody called.`,
  );
  if (counted > 0)
    terminal.say(
      `Of ${counted} recorded searches, ${found} find the tool that was called next among five results; with the proposals, ${foundWithProposals}.`,
    );
  return exitCodes.ok;
}

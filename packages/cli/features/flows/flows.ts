import { findConfigFile } from '../../../toolwharf/config/load-config.ts';
import { openConfig } from '../../../toolwharf/config/open-config.ts';
import { configError, type Finding, formatPath } from '../../../toolwharf/config/problems.ts';
import { compileFlows } from '../../../toolwharf/features/flows/compile-flows.ts';
import type { CommandContext, JsonOption } from '../../core/command-context.ts';
import { exitCodes } from '../../core/errors.ts';
import { jsonText, oneLine } from '../../core/terminal/format.ts';
import { printList } from '../../core/terminal/print-table.ts';

/** `toolwharf flows check`: lists the labels and flows of a configuration, or every reason why they cannot be used. */
export async function checkFlows(
  file: string | undefined,
  { json }: JsonOption,
  { terminal, options, env, cwd }: CommandContext,
): Promise<number> {
  const source = file ?? options.config ?? (await findConfigFile(cwd));
  const loaded = await openConfig(source, { env, cwd });
  const problems: Finding[] = [];
  const { labels = [], flows = [] } = loaded.config.flows ?? {};
  compileFlows({ labels, flows }, (problem) => problems.push(problem));
  if (problems.length > 0) {
    const shown = problems.map(({ path, message }) => ({ path: formatPath(path), message }));
    throw loaded.toError?.(problems) ?? configError(shown, loaded.file);
  }
  if (json) {
    terminal.print(jsonText({ labels, flows }));
    return exitCodes.ok;
  }
  printList(terminal, labels, {
    empty: 'The configuration has no policy labels.',
    columns: {
      LABEL: ({ add }) => add,
      ON: ({ on }) => on,
      MATCH: ({ match }) => match?.join(', ') ?? 'all',
      WHEN: ({ when }) => (when === undefined ? 'always' : oneLine(when)),
    },
    main: ['LABEL', 'ON', 'MATCH', 'WHEN'],
  });
  printList(terminal, flows, {
    empty: 'The configuration has no policy flows.',
    columns: {
      ID: ({ id }) => id,
      FROM: ({ from }) => from.join(', '),
      THEN: ({ then }) => then,
      WITHIN: ({ within }) => within,
      MODE: ({ mode }) => mode,
      'ON FAILURE': ({ onFailure }) => onFailure,
      PROFILES: ({ profiles }) => profiles?.join(', ') ?? 'all',
      TO: ({ to }) => oneLine(to),
    },
    main: ['ID', 'FROM', 'THEN', 'MODE', 'TO'],
    optional: ['WITHIN', 'PROFILES', 'ON FAILURE'],
  });
  return exitCodes.ok;
}

import type { ImportedServer, ImportedServers } from '../../api/client.ts';
import { ImportRow } from './ImportRow.tsx';
import { LongList } from './LongList.tsx';
import type { ImportStep } from './use-import.ts';

export interface ImportListProps {
  readonly servers: readonly ImportedServer[];
  readonly problems: ImportedServers['problems'];
  readonly steps: ReadonlyMap<string, ImportStep>;
  /** Names that servers have already. */
  readonly taken: ReadonlySet<string>;
  readonly mayAddPrograms: boolean;
  /** Which ones are not wanted. */
  readonly left: ReadonlySet<string>;
  readonly onLeft: (left: ReadonlySet<string>) => void;
  readonly onReview: (server: ImportedServer) => void;
}

/** The servers that were found, to choose from. */
export function ImportList(props: ImportListProps) {
  const { servers, problems, steps, taken, mayAddPrograms, left, onLeft, onReview } = props;

  function choose(name: string, isWanted: boolean): void {
    const next = new Set(left);
    if (isWanted) next.delete(name);
    else next.add(name);
    onLeft(next);
  }

  function obstacleOf({ name, transport }: ImportedServer): string | undefined {
    if (steps.get(name)?.kind === 'added') return undefined;
    if (taken.has(name)) return 'There is a server of this name already. Review it to give it another.';
    if (transport === 'stdio' && !mayAddPrograms) return 'It is a program: see above.';
    return undefined;
  }

  return (
    <section aria-label="Servers found" className="rounded-lg border border-line px-3">
      <LongList label="Servers found" items={servers} keyOf={({ name }) => name} estimate={96}>
        {(server) => (
          <ImportRow
            server={server}
            problems={problems.flatMap(({ name, message }) => (name === server.name ? [message] : []))}
            obstacle={obstacleOf(server)}
            step={steps.get(server.name)}
            isChosen={!left.has(server.name)}
            onChoose={(isWanted) => choose(server.name, isWanted)}
            onReview={() => onReview(server)}
          />
        )}
      </LongList>
    </section>
  );
}

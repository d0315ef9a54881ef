import { useQuery } from '@tanstack/react-query';
import { GraduationCap, Square } from 'lucide-react';
import { sandboxLists } from '../../../../contract/settings/choices.ts';
import { formTexts } from '../../../../contract/settings/form-texts.ts';
import { api, type Server } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Fact, Facts, Section } from '../../components/Facts.tsx';
import { LongList } from '../../components/LongList.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { useAction } from '../../components/use-action.ts';
import { listTexts, type SandboxState } from './lists.ts';
import { SandboxProposal } from './SandboxProposal.tsx';

const refreshMs = 5_000;
const modes = formTexts.server['sandbox.mode'].choices;

/** What the program of a server may touch, what was blocked, and what it has learned. */
export default function ServerSandbox({ server: { name } }: { readonly server: Server }) {
  const sandbox = useQuery({
    queryKey: ['sandbox', name],
    queryFn: ({ signal }) => api.getSandbox({ path: { server: name }, signal }),
    refetchInterval: refreshMs,
  });
  const learning = useAction({
    run: (enabled: boolean) => api.learnSandbox({ path: { server: name }, body: { enabled } }),
    done: ({ mode }, enabled) =>
      enabled ? 'The program starts anew and is watched.' : `Learning has ended. Mode: ${modes[mode]}.`,
    refetch: ['sandbox', 'servers'],
  });
  const state = sandbox.data;
  if (!state) return <QueryState query={sandbox} what="sandbox" />;
  const { mode, problem, accepted, proposal, learningSince, watchesFiles } = state;
  const isLearning = mode === 'learn';
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <Facts>
          <Fact name="Mode">{modes[mode]}</Fact>
          {accepted && (
            <Fact name="Profile accepted">
              {`by ${safeText(accepted.by, 100)}, `}
              <TimeAgo at={accepted.at} />
            </Fact>
          )}
          {learningSince !== undefined && (
            <Fact name="Learning since">
              <TimeAgo at={learningSince} />
            </Fact>
          )}
        </Facts>
        <Button
          size="small"
          icon={isLearning ? Square : GraduationCap}
          busy={learning.isPending}
          onClick={() => learning.mutate(!isLearning)}
        >
          {isLearning ? 'Stop' : 'Learn'}
        </Button>
      </div>
      {problem !== undefined && (
        <Notice tone="bad" title="The program does not start">
          {safeText(problem, 1_000)}
        </Notice>
      )}
      {accepted?.isStale && (
        <Notice tone="warn" title="The accepted profile is not used">
          The command of the server has changed since. Learn again, and accept what it uses now.
        </Notice>
      )}
      {isLearning && (
        <Notice tone="warn" title="Learning does not contain the program">
          {watchesFiles
            ? 'Make the usual calls of the server. What it uses appears below.'
            : 'Make the usual calls of the server. Only hosts are learned: install the package strace to learn files too.'}
        </Notice>
      )}
      {proposal && <SandboxProposal key={learningSince} server={name} proposal={proposal} />}
      <Section title="Profile">
        <Profile state={state} />
      </Section>
      <Section title="Blocked">
        <Blocked server={name} state={state} />
      </Section>
    </div>
  );
}

interface ProfileEntry {
  readonly list: keyof typeof listTexts;
  readonly entry: string;
  readonly origin: string;
}

/** Everything that the program may use beside its own files and those of the system, and the hosts that it never reaches. */
function Profile({ state: { mode, configured, accepted, denied } }: { readonly state: SandboxState }) {
  const usable = accepted?.isStale === false ? accepted.profile : undefined;
  const entries: readonly ProfileEntry[] = [
    ...sandboxLists.flatMap((list) => [
      ...configured[list].map((entry) => ({ list, entry, origin: 'Settings' })),
      ...(usable?.[list] ?? [])
        .filter((entry) => !configured[list].includes(entry))
        .map((entry) => ({ list, entry, origin: 'Accepted' })),
    ]),
    ...denied.map((entry) => ({ list: 'denied' as const, entry, origin: 'Denied for ever' })),
  ];
  if (entries.length === 0) {
    const text = 'The profile has no entries.';
    return (
      <p className="text-ink-soft">
        {mode === 'enforce' ? `${text} The program has its own files and no network.` : text}
      </p>
    );
  }
  return (
    <LongList label="Profile" items={entries} keyOf={({ list, entry }) => `${list} ${entry}`}>
      {({ list, entry, origin }) => (
        <p className="flex flex-wrap items-center gap-2 py-1.5">
          <Badge tone={list === 'denied' ? 'bad' : 'neutral'}>{listTexts[list]}</Badge>
          <code className="min-w-0 break-all">{safeText(entry, 500)}</code>
          <span className="text-xs text-ink-faint">{origin}</span>
        </p>
      )}
    </LongList>
  );
}

/** The latest hosts and paths that the program did not get. A person can allow each of them. */
function Blocked({ server, state }: { readonly server: string; readonly state: SandboxState }) {
  const { blocked, accepted, configured, mode } = state;
  const usable = accepted?.isStale === false ? accepted.profile : { read: [], write: [], network: [] };
  const allowing = useAction({
    run: ({ list, entry }: SandboxState['blocked'][number]) =>
      api.acceptSandbox({ path: { server }, body: { ...usable, [list]: [...usable[list], entry] } }),
    done: (_state, { entry }) => `The program starts anew with ${safeText(entry, 300)}.`,
    refetch: ['sandbox', 'servers'],
  });
  if (blocked.length === 0) return <p className="text-ink-soft">No host and no path was blocked.</p>;
  return (
    <LongList label="Blocked" items={blocked} keyOf={({ list, entry, tool }) => `${list} ${entry} ${tool}`}>
      {({ list, entry, at, tool, reason }) => (
        <div className="py-1.5">
          <p className="flex flex-wrap items-center gap-2">
            <Badge>{listTexts[list]}</Badge>
            <code className="break-all">{safeText(entry, 300)}</code>
            {mode === 'enforce' && ![...usable[list], ...configured[list]].includes(entry) && (
              <Button
                size="small"
                busy={allowing.isPending}
                onClick={() => allowing.mutate({ list, entry, at, tool, reason })}
                aria-label={`Allow ${safeText(entry, 300)}`}
              >
                Allow
              </Button>
            )}
            {tool !== undefined && <Badge>{safeText(tool, 100)}</Badge>}
            <span className="text-xs text-ink-faint">
              <TimeAgo at={at} />
            </span>
          </p>
          <p className="text-xs break-words text-ink-soft">{safeText(reason, 500)}</p>
        </div>
      )}
    </LongList>
  );
}

import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Section } from '../../components/Facts.tsx';
import { Checkbox } from '../../components/fields.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useAction } from '../../components/use-action.ts';
import { plural } from '../../text/plural.ts';
import { listTexts, type Proposal, type ProposedEntry } from './lists.ts';

const changes: Readonly<Record<ProposedEntry['change'], { readonly label: string; readonly tone: Tone }>> = {
  added: { label: 'New', tone: 'good' },
  removed: { label: 'Not used', tone: 'warn' },
  same: { label: 'Allowed', tone: 'neutral' },
};

const keyOf = ({ list, entry }: ProposedEntry) => `${list} ${entry}`;

/** The smallest profile for what the program has used. A person unticks entries and accepts the others. */
export function SandboxProposal({ server, proposal }: { readonly server: string; readonly proposal: Proposal }) {
  const { entries, programs } = proposal;
  /** The entries whose tick a person has changed: what was not used is left out at first. */
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const isTicked = (entry: ProposedEntry) => (entry.change === 'removed') === toggled.has(keyOf(entry));
  const chosen = entries.filter(isTicked);
  const accepting = useAction({
    run: () => {
      const of = (list: ProposedEntry['list']) => chosen.filter((one) => one.list === list).map(({ entry }) => entry);
      const body = { read: of('read'), write: of('write'), network: of('network') };
      return api.acceptSandbox({ path: { server }, body });
    },
    done: ({ mode }) =>
      mode === 'off'
        ? 'Accepted. The settings of the server switch its sandbox off: choose another mode there.'
        : 'Accepted. The program starts anew with this profile.',
    refetch: ['sandbox', 'servers'],
  });

  function toggle(entry: ProposedEntry): void {
    const next = new Set(toggled);
    if (!next.delete(keyOf(entry))) next.add(keyOf(entry));
    setToggled(next);
  }

  return (
    <Section title="Proposed profile">
      {entries.length === 0 ? (
        <p className="text-ink-soft">The program has used nothing but its own files and those of the system.</p>
      ) : (
        <ul aria-label="Proposed entries" className="divide-y divide-line">
          {entries.map((entry) => (
            <li key={keyOf(entry)} className="py-1.5">
              <Checkbox
                checked={isTicked(entry)}
                onChange={() => toggle(entry)}
                label={
                  <span className="flex flex-wrap items-center gap-2">
                    <Badge tone={changes[entry.change].tone}>{changes[entry.change].label}</Badge>
                    <Badge>{listTexts[entry.list]}</Badge>
                    <code className="min-w-0 break-all">{safeText(entry.entry, 500)}</code>
                  </span>
                }
                hint={describeCauses(entry)}
              />
            </li>
          ))}
        </ul>
      )}
      {programs.length > 0 && (
        <p className="text-xs break-words text-ink-soft">{`Programs that it started: ${safeText(programs.join(', '), 2_000)}`}</p>
      )}
      <div>
        <Button look="primary" icon={ShieldCheck} busy={accepting.isPending} onClick={() => accepting.mutate()}>
          {`Accept ${plural(chosen.length, { one: '# entry', other: '# entries' })}`}
        </Button>
      </div>
    </Section>
  );
}

function describeCauses({ causes, change }: ProposedEntry): string {
  if (change === 'removed') return 'Allowed now, and not used.';
  const tools = causes.filter((cause) => cause !== 'start').map((tool) => safeText(tool, 100));
  const when = causes.includes('start') ? ['outside of calls'] : [];
  return `Used ${[...(tools.length > 0 ? [`by ${tools.join(', ')}`] : []), ...when].join(', and ')}.`;
}

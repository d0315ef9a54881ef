import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ShieldPlus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { withImplied } from '../../../../contract/rights.ts';
import { api, type Elevation, type Session } from '../../api/client.ts';
import { queries, query } from '../../api/queries.ts';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { roleTitle } from '../../components/describe-roles.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';
import { useAction } from '../../components/use-action.ts';
import { useFirstPart } from '../../components/use-first-part.tsx';
import { formatTime } from '../../text/formats.ts';

// Another person answers: no event reports it.
const elevationsQuery = query(['elevations'], async (signal) => (await api.listElevations({ signal })).elevations);

/** Requests for a role for a limited time: a form for one's own, and buttons that answer those of others. */
export default function ElevationSection() {
  const elevations = useQuery({ ...elevationsQuery, staleTime: 0, refetchInterval: 3_000 });
  const session = useQuery(queries.session()).data;
  const client = useQueryClient();
  const own = elevations.data?.find(({ isOwn, status }) => isOwn && (status === 'pending' || status === 'granted'));
  const state = `${own?.id} ${own?.status}`;
  // What the caller may do has changed with the answer.
  // biome-ignore lint/correctness/useExhaustiveDependencies: fetched again for each state
  useEffect(() => void client.invalidateQueries({ queryKey: ['session'] }), [state]);
  const mayAsk = session?.caller?.user !== undefined && session.permissions.includes('elevations.request');
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,4fr)]">
      {session && mayAsk && !own && <RequestForm session={session} />}
      <Card className="min-w-0">
        <CardHeader title="Requests" hint="A granted role ends by itself. Nobody grants their own request." />
        <QueryState query={elevations} what="requests" className="p-4" />
        {elevations.data?.length === 0 && (
          <EmptyState icon={ShieldPlus} title="No requests">
            A person asks for a role for a limited time, and another person grants it.
          </EmptyState>
        )}
        {elevations.data && elevations.data.length > 0 && <RequestList elevations={elevations.data} />}
      </Card>
    </div>
  );
}

const durations = [
  ['15', '15 minutes'],
  ['60', 'An hour'],
  ['240', 'Four hours'],
  ['480', 'Eight hours'],
] as const;

function RequestForm({ session }: { readonly session: Session }) {
  const [search] = useSearchParams();
  const wanted = search.get('for');
  const roles = useQuery(queries.roles()).data?.roles ?? [];
  const offered = roles.filter(({ permissions }) =>
    [...withImplied(permissions)].some((permission) => !session.permissions.includes(permission)),
  );
  // The role with the fewest permissions that is enough.
  const enough = offered
    .filter(({ permissions }) => wanted !== null && permissions.some((permission) => permission === wanted))
    .sort((one, other) => one.permissions.length - other.permissions.length)[0];
  const [chosen, setChosen] = useState<string>();
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('60');
  const role = chosen ?? enough?.name ?? offered[0]?.name ?? '';
  const asking = useAction({
    run: () => api.requestElevation({ body: { role, reason, minutes: Number(minutes) } }),
    done: 'Asked. Another person has to grant it.',
    refetch: ['elevations'],
  });
  if (offered.length === 0) return null;
  return (
    <Card>
      <CardHeader title="Ask for a role" hint="For a limited time, with a reason that the other person reads." />
      <form
        className="flex flex-col gap-3 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          asking.mutate();
        }}
      >
        <SelectField
          label="Role"
          hint={safeText(offered.find(({ name }) => name === role)?.description ?? '', 200)}
          options={offered.map(({ name, title }) => [name, safeText(title, 60)] as const)}
          value={role}
          onChange={setChosen}
        />
        <SelectField label="For" options={durations} value={minutes} onChange={setMinutes} />
        <TextField label="Reason" required value={reason} onChange={setReason} />
        <Button type="submit" look="primary" busy={asking.isPending}>
          Ask for the role
        </Button>
      </form>
    </Card>
  );
}

const tones: Readonly<Record<Elevation['status'], Tone>> = {
  pending: 'warn',
  granted: 'good',
  denied: 'bad',
  withdrawn: 'neutral',
  expired: 'neutral',
  ended: 'neutral',
};

function RequestList({ elevations }: { readonly elevations: readonly Elevation[] }) {
  const [shown, more] = useFirstPart(elevations, 20);
  return (
    <>
      <ul aria-label="Requests" className="divide-y divide-line">
        {shown.map((elevation) => (
          <li key={elevation.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <RequestFacts elevation={elevation} />
            <RequestActions elevation={elevation} />
          </li>
        ))}
      </ul>
      {more && <div className="border-t border-line px-4 py-2">{more}</div>}
    </>
  );
}

function RequestFacts({ elevation }: { readonly elevation: Elevation }) {
  const { askedBy, role, reason, status, minutes, createdAt, answeredBy, until, isOwn } = elevation;
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="flex flex-wrap items-center gap-1.5">
        <span className="font-semibold break-words" translate="no">
          {actorName(askedBy)}
        </span>
        <Badge>{roleTitle(role)}</Badge>
        {isOwn && <Badge>you</Badge>}
        <Badge tone={tones[status]}>{status}</Badge>
      </p>
      <p className="break-words">{safeText(reason, 500)}</p>
      <p className="text-xs text-ink-soft">
        asked <TimeAgo at={createdAt} />
        {askedBy.client && ` with ${safeText(askedBy.client.name, 60)}`}
        {status === 'pending' && ` · for ${minutes} min`}
        {status === 'granted' && until !== undefined && ` · until ${formatTime(until)}`}
        {answeredBy && ` · answered by ${actorName(answeredBy)}`}
      </p>
    </div>
  );
}

function RequestActions({ elevation: { id, status, isOwn, mayAnswer, askedBy } }: { readonly elevation: Elevation }) {
  const path = { elevation: id };
  const answering = useAction({
    run: (answer: 'grant' | 'deny') => api.answerElevation({ path, body: { answer } }),
    refetch: ['elevations'],
  });
  const ending = useAction({ run: () => api.endElevation({ path }), refetch: ['elevations', 'session'] });
  const isOpen = status === 'pending' || status === 'granted';
  const name = actorName(askedBy);
  return (
    <div className="flex gap-2">
      {mayAnswer && (
        <>
          <Button size="small" look="primary" aria-label={`Grant ${name}`} onClick={() => answering.mutate('grant')}>
            Grant
          </Button>
          <Button size="small" aria-label={`Deny ${name}`} onClick={() => answering.mutate('deny')}>
            Deny
          </Button>
        </>
      )}
      {isOpen && (isOwn || status === 'granted') && (
        <Button size="small" busy={ending.isPending} onClick={() => ending.mutate()}>
          {status === 'pending' ? 'Withdraw' : 'End now'}
        </Button>
      )}
    </div>
  );
}

function actorName({ id, name }: Elevation['askedBy']): string {
  return safeText(name ?? id, 100);
}

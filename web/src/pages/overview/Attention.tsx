import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { queries } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { type AttentionItem, attentionItems } from './attention-items.ts';
import { changedToolsQuery } from './overview-queries.ts';

const icons = {
  bad: <CircleAlert aria-label="Broken" className="size-4 shrink-0 text-bad" />,
  warn: <TriangleAlert aria-label="Waiting" className="size-4 shrink-0 text-warn" />,
  info: <Info aria-label="To know" className="size-4 shrink-0 text-info" />,
};

const maxShown = 8;

/** What needs somebody, or that nothing does. */
export function Attention() {
  const isAdmin = useQuery(queries.session()).data?.rights.includes('admin') ?? false;
  const servers = useQuery(queries.servers());
  const approvals = useQuery(queries.approvals('pending'));
  const questions = useQuery(queries.questions());
  const changedTools = useQuery(changedToolsQuery());
  const config = useQuery({ ...queries.config(), enabled: isAdmin });
  const asked = [servers, approvals, questions, changedTools, ...(isAdmin ? [config] : [])];
  const items = attentionItems({
    servers: servers.data ?? [],
    approvals: approvals.data ?? [],
    questions: questions.data ?? [],
    changedTools: changedTools.data ?? [],
    config: config.data,
  });
  const isKnown = asked.every(({ data }) => data !== undefined);
  // A part that could not be read must not look like a part that is fine.
  const failed = asked.filter(({ isError }) => isError).length;
  if (items.length === 0 && failed === 0) {
    return (
      <p role="status" className="flex items-center gap-2 text-ink-soft">
        {isKnown && (
          <>
            <CircleCheck aria-hidden className="size-4 text-good" />
            Nothing needs you right now.
          </>
        )}
      </p>
    );
  }
  return (
    <Card aria-label="Needs attention">
      <CardHeader title="Needs attention" />
      <ul className="divide-y divide-line">
        {items.slice(0, maxShown).map((item) => (
          <Row key={item.id} item={item} />
        ))}
        {items.length > maxShown && (
          <li className="px-4 py-2 text-ink-soft">… and {items.length - maxShown} more; see the servers.</li>
        )}
        {failed > 0 && (
          <li className="px-4 py-2 text-bad">Not everything could be looked at: the gateway refused or failed.</li>
        )}
      </ul>
    </Card>
  );
}

function Row({ item: { tone, title, detail, href, action } }: { readonly item: AttentionItem }) {
  return (
    <li className="flex items-center gap-3 px-4 py-2.5">
      {icons[tone]}
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{title}</p>
        {detail !== undefined && detail !== '' && (
          <p className="line-clamp-2 text-xs break-words text-ink-soft">{detail}</p>
        )}
      </div>
      <ButtonLink href={href} size="small" aria-label={`${action}: ${title}`}>
        {action}
      </ButtonLink>
    </li>
  );
}

import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { queries, useMay } from '../../api/queries.ts';
import { ButtonLink } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { formatNumber } from '../../text/formats.ts';
import { type AttentionItem, attentionItems } from './attention-items.ts';

const icons = {
  bad: <CircleAlert aria-label="Error" className="size-4 shrink-0 text-bad" />,
  warn: <TriangleAlert aria-label="Warning" className="size-4 shrink-0 text-warn" />,
  info: <Info aria-label="Information" className="size-4 shrink-0 text-info" />,
};

const maxShown = 8;

/** The problems and pending decisions of the gateway, or a note that there are none. */
export function Attention() {
  const seesConfig = useMay('settings.read');
  const servers = useQuery(queries.servers());
  const approvals = useQuery(queries.pendingApprovals());
  const questions = useQuery(queries.questions());
  const changedTools = useQuery(queries.changedTools());
  const config = useQuery({ ...queries.config(), enabled: seesConfig });
  const loaded = [servers, approvals, questions, changedTools, ...(seesConfig ? [config] : [])];
  const items = attentionItems({
    servers: servers.data ?? [],
    approvals: approvals.data ?? [],
    questions: questions.data ?? [],
    changedTools: changedTools.data ?? [],
    config: config.data,
  });
  const isComplete = loaded.every(({ data }) => data !== undefined);
  // A query that failed must not look like one without problems.
  const hasFailed = loaded.some(({ isError }) => isError);
  if (items.length === 0 && !hasFailed) {
    return (
      <p role="status" className="flex items-center gap-2 text-ink-soft">
        {isComplete && (
          <>
            <CircleCheck aria-hidden className="size-4 text-good" />
            Nothing needs attention.
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
          <li className="px-4 py-2 text-ink-soft">
            {`${formatNumber(items.length - maxShown)} more. Open Servers to see all of them.`}
          </li>
        )}
        {hasFailed && <li className="px-4 py-2 text-bad">Some checks failed to load. Reload the page to try again.</li>}
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

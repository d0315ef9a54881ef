import { useQuery } from '@tanstack/react-query';
import {
  Bot,
  Brain,
  Copy,
  Ellipsis,
  MessagesSquare,
  Pencil,
  Plus,
  Server,
  ShieldQuestion,
  Trash2,
  Wrench,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Assistant } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button, ButtonLink, IconButton } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Menu } from '../../components/Menu.tsx';
import { safeText } from '../../components/safe-text.ts';
import { text } from '../../text/text.ts';
import { chatAddress } from '../chat/chat-address.ts';
import { approvalModes } from './approval-modes.ts';
import { DeleteAssistant } from './DeleteAssistant.tsx';

const pageSize = 50;

/** The list of assistants. */
export function AssistantList({
  assistants,
  canEdit,
}: {
  readonly assistants: readonly Assistant[];
  readonly canEdit: boolean;
}) {
  const servers = useQuery(queries.servers()).data ?? [];
  const providers = useQuery(queries.providers()).data ?? [];
  const [shown, setShown] = useState(pageSize);
  const [deleting, setDeleting] = useState<Assistant>();
  if (assistants.length === 0) return <NoAssistants canEdit={canEdit} />;
  const serverNames = new Map(servers.map(({ id, name }) => [id, name]));
  const providerNames = new Map(providers.map(({ id, name }) => [id, name]));
  return (
    <>
      <Card>
        <ul aria-label={text.assistants.title} className="divide-y divide-line">
          {assistants.slice(0, shown).map((assistant) => (
            <AssistantRow
              key={assistant.id}
              assistant={assistant}
              serverNames={serverNames}
              providerNames={providerNames}
              canEdit={canEdit}
              onDelete={() => setDeleting(assistant)}
            />
          ))}
        </ul>
      </Card>
      {assistants.length > shown && (
        <Button className="self-center" onClick={() => setShown(shown + pageSize)}>
          {text.assistants.showMore(Math.min(pageSize, assistants.length - shown), assistants.length)}
        </Button>
      )}
      <DeleteAssistant assistant={deleting} onClose={() => setDeleting(undefined)} />
    </>
  );
}

function NoAssistants({ canEdit }: { readonly canEdit: boolean }) {
  return (
    <Card>
      <EmptyState
        icon={<Bot aria-hidden />}
        title={text.assistants.empty.title}
        actions={
          canEdit && (
            <ButtonLink href="/assistants/new" look="primary">
              <Plus aria-hidden />
              {text.assistants.new}
            </ButtonLink>
          )
        }
      >
        {text.assistants.empty.detail}
      </EmptyState>
    </Card>
  );
}

interface AssistantRowProps {
  readonly assistant: Assistant;
  readonly serverNames: ReadonlyMap<string, string>;
  readonly providerNames: ReadonlyMap<string, string>;
  readonly canEdit: boolean;
  readonly onDelete: () => void;
}

const maxServers = 3;

/** One assistant in the list. */
function AssistantRow({ assistant, serverNames, providerNames, canEdit, onDelete }: AssistantRowProps) {
  const [, navigate] = useLocation();
  const preview = useQuery(queries.preview(assistant)).data;
  const { id, model, serverIds } = assistant;
  const name = safeText(assistant.name, 100);
  const isDemo = model.provider === 'demo';
  const servers = serverIds.slice(0, maxServers).map((server) => safeText(serverNames.get(server) ?? server, 60));
  const more = serverIds.length - servers.length;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-center gap-2">
          <Link href={`/assistants/${id}`} className="font-semibold break-words hover:underline">
            {name}
          </Link>
          {isDemo && <Badge tone="info">{text.assistants.demo}</Badge>}
        </p>
        {assistant.description !== '' && (
          <p className="line-clamp-2 break-words text-ink-soft">{safeText(assistant.description, 300)}</p>
        )}
        <dl className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft *:flex *:items-center *:gap-1.5 [&_svg]:size-3.5 [&_svg]:shrink-0">
          {!isDemo && (
            <Fact icon={<Brain aria-hidden />} label={text.assistants.row.model}>
              {safeText(providerNames.get(model.provider) ?? model.provider, 60)} · {safeText(model.model, 80)}
            </Fact>
          )}
          <Fact icon={<Server aria-hidden />} label={text.assistants.row.servers}>
            {servers.length === 0 ? text.assistants.row.noServers : text.assistants.row.moreServers(servers, more)}
          </Fact>
          <Fact icon={<Wrench aria-hidden />} label={text.assistants.row.tools}>
            {preview ? text.common.tools(preview.count) : text.assistants.row.countingTools}
            {preview?.warning !== undefined && <Badge tone="warn">{text.assistants.row.tooMany}</Badge>}
            {preview && preview.missingServers.length > 0 && (
              <Badge tone="bad">{text.assistants.row.unavailable(preview.missingServers.length)}</Badge>
            )}
          </Fact>
          <Fact icon={<ShieldQuestion aria-hidden />} label={text.assistants.row.approval}>
            {approvalModes[assistant.toolApproval].label}
          </Fact>
        </dl>
      </div>
      <div className="flex items-center gap-1">
        <ButtonLink href={chatAddress(id)}>
          <MessagesSquare aria-hidden />
          {text.assistants.chat}
        </ButtonLink>
        {canEdit && (
          <Menu
            trigger={
              <IconButton label={text.assistants.actionsFor(name)}>
                <Ellipsis aria-hidden />
              </IconButton>
            }
            items={[
              {
                label: text.assistants.edit,
                icon: <Pencil aria-hidden />,
                onSelect: () => navigate(`/assistants/${id}`),
              },
              {
                label: text.assistants.duplicate,
                icon: <Copy aria-hidden />,
                onSelect: () => navigate(`/assistants/new?copy=${id}`),
              },
              { label: text.assistants.delete.action, icon: <Trash2 aria-hidden />, danger: true, onSelect: onDelete },
            ]}
          />
        )}
      </div>
    </li>
  );
}

interface FactProps {
  readonly icon: ReactNode;
  /** Read by screen readers instead of the icon. */
  readonly label: string;
  readonly children: ReactNode;
}

function Fact({ icon, label, children }: FactProps) {
  return (
    <div>
      <dt>
        {icon}
        <span className="sr-only">{label}</span>
      </dt>
      <dd className="flex flex-wrap items-center gap-1.5 break-words">{children}</dd>
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import {
  Bot,
  Brain,
  Copy,
  Ellipsis,
  type LucideIcon,
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
import type { Assistant } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import { approvalModes } from '../../../components/approval/approval-modes.ts';
import { Badge } from '../../../components/Badge.tsx';
import { ButtonLink, IconButton } from '../../../components/Button.tsx';
import { Card } from '../../../components/Card.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { Menu } from '../../../components/Menu.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useFirstPart } from '../../../components/use-first-part.tsx';
import { formatNumber } from '../../../text/formats.ts';
import { plural } from '../../../text/plural.ts';
import { chatAddress } from '../chat-address.ts';
import { chatQueries } from '../queries.ts';
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
  const providers = useQuery(chatQueries.providers()).data ?? [];
  const [shown, more] = useFirstPart(assistants, pageSize);
  const [deleting, setDeleting] = useState<Assistant>();
  if (assistants.length === 0) return <NoAssistants canEdit={canEdit} />;
  const serverNames = new Map(servers.map(({ id, name }) => [id, name]));
  const providerNames = new Map(providers.map(({ id, name }) => [id, name]));
  return (
    <>
      <Card>
        <ul aria-label="Assistants" className="divide-y divide-line">
          {shown.map((assistant) => (
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
      {more}
      <DeleteAssistant assistant={deleting} onClose={() => setDeleting(undefined)} />
    </>
  );
}

function NoAssistants({ canEdit }: { readonly canEdit: boolean }) {
  return (
    <Card>
      <EmptyState icon={Bot} title="No assistants yet" actions={canEdit && <NewAssistantLink />}>
        Create an assistant to chat with. The demo needs no API key.
      </EmptyState>
    </Card>
  );
}

/** Opens the form of a new assistant. */
export function NewAssistantLink() {
  return (
    <ButtonLink href="/assistants/new" look="primary" icon={Plus}>
      New assistant
    </ButtonLink>
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
  const preview = useQuery(chatQueries.preview(assistant)).data;
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
          {isDemo && <Badge tone="info">Scripted demo</Badge>}
        </p>
        {assistant.description !== '' && (
          <p className="line-clamp-2 break-words text-ink-soft">{safeText(assistant.description, 300)}</p>
        )}
        <dl className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft *:flex *:items-center *:gap-1.5 [&_svg]:size-3.5 [&_svg]:shrink-0">
          {!isDemo && (
            <Fact icon={Brain} label="Model">
              {safeText(providerNames.get(model.provider) ?? model.provider, 60)} · {safeText(model.model, 80)}
            </Fact>
          )}
          <Fact icon={Server} label="Servers">
            {servers.length === 0
              ? 'No servers'
              : more > 0
                ? `${servers.join(', ')} and ${formatNumber(more)} more`
                : servers.join(', ')}
          </Fact>
          <Fact icon={Wrench} label="Tools">
            {preview ? plural(preview.count, 'tool') : '… tools'}
            {preview?.warning !== undefined && <Badge tone="warn">Too many</Badge>}
            {preview && preview.missingServers.length > 0 && (
              <Badge tone="bad">{`${plural(preview.missingServers.length, 'server')} unavailable`}</Badge>
            )}
          </Fact>
          <Fact icon={ShieldQuestion} label="Approval">
            {approvalModes[assistant.toolApproval].label}
          </Fact>
        </dl>
      </div>
      <div className="flex items-center gap-1">
        <ButtonLink href={chatAddress(id)} icon={MessagesSquare}>
          Chat
        </ButtonLink>
        {canEdit && (
          <Menu
            trigger={<IconButton label={`Actions for ${name}`} icon={Ellipsis} />}
            items={[
              { label: 'Edit', icon: Pencil, onSelect: () => navigate(`/assistants/${id}`) },
              { label: 'Duplicate', icon: Copy, onSelect: () => navigate(`/assistants/new?copy=${id}`) },
              { label: 'Delete', icon: Trash2, danger: true, onSelect: onDelete },
            ]}
          />
        )}
      </div>
    </li>
  );
}

interface FactProps {
  readonly icon: LucideIcon;
  /** Read by screen readers instead of the icon. */
  readonly label: string;
  readonly children: ReactNode;
}

function Fact({ icon: Icon, label, children }: FactProps) {
  return (
    <div>
      <dt>
        <Icon aria-hidden />
        <span className="sr-only">{label}</span>
      </dt>
      <dd className="flex flex-wrap items-center gap-1.5 break-words">{children}</dd>
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { OfferSplit } from './OfferSplit.tsx';
import { PromptReader } from './PromptReader.tsx';
import { toolQueries } from './tool-queries.ts';
import { useOfferingServers } from './use-offering-servers.ts';

/** The prompts of the servers, to fill in and to see. */
export function PromptsTab() {
  const servers = useOfferingServers(['prompts']);
  if (!servers) return <Spinner label="Loading …" />;
  if (servers.length === 0) {
    return (
      <EmptyState icon={<MessageSquareText aria-hidden />} title="There are no prompts">
        None of the connected servers offers any.
      </EmptyState>
    );
  }
  return <ServerPrompts servers={servers} />;
}

function ServerPrompts({ servers }: { readonly servers: readonly string[] }) {
  const [search, setSearch] = useSearchParams();
  const server = servers.find((name) => name === search.get('server')) ?? servers[0] ?? '';
  const chosen = search.get('prompt') ?? undefined;
  const offered = useQuery(toolQueries.prompts(server));
  if (offered.isError) return <ErrorNotice error={offered.error} onRetry={() => void offered.refetch()} />;
  if (!offered.data) return <Spinner label="Loading …" />;
  const prompt = offered.data.find(({ name }) => name === chosen);
  return (
    <OfferSplit
      what="prompts"
      servers={servers}
      server={server}
      onServer={(next) => setSearch({ show: 'prompts', server: next })}
      offers={offered.data.map((item) => ({
        key: String(item.name),
        title: String(item.title ?? item.name),
        detail: String(item.description ?? item.name),
      }))}
      selected={chosen}
      onOpen={(key) => setSearch({ show: 'prompts', server, prompt: key })}
      listAddress={`/tools?show=prompts&server=${encodeURIComponent(server)}`}
    >
      {prompt ? (
        <PromptReader key={chosen} server={server} prompt={prompt} />
      ) : (
        <p className="text-ink-soft">The server does not offer this any more.</p>
      )}
    </OfferSplit>
  );
}

import { useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { ItemBrowser } from './ItemBrowser.tsx';
import { PromptReader } from './PromptReader.tsx';
import { toolQueries, useServersOffering } from './tool-queries.ts';

/** The prompts of all servers. */
export function PromptsTab() {
  const servers = useServersOffering(['prompts']);
  if (!servers) return <Spinner label="Loading prompts …" />;
  if (servers.length === 0) {
    return (
      <EmptyState icon={<MessageSquareText aria-hidden />} title="No prompts">
        None of the connected servers has prompts.
      </EmptyState>
    );
  }
  return <ServerPrompts servers={servers} />;
}

function ServerPrompts({ servers }: { readonly servers: readonly string[] }) {
  const [search, setSearch] = useSearchParams();
  const server = servers.find((name) => name === search.get('server')) ?? servers[0] ?? '';
  const selected = search.get('prompt') ?? undefined;
  const list = useQuery(toolQueries.prompts(server));
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <Spinner label="Loading prompts …" />;
  const prompt = list.data.find(({ name }) => name === selected);
  return (
    <ItemBrowser
      noun="prompt"
      servers={servers}
      server={server}
      onServerChange={(next) => setSearch({ show: 'prompts', server: next })}
      items={list.data.map((item) => ({
        key: String(item.name),
        title: String(item.title ?? item.name),
        detail: String(item.description ?? item.name),
      }))}
      selected={selected}
      onOpen={(key) => setSearch({ show: 'prompts', server, prompt: key })}
      listAddress={`/tools?show=prompts&server=${encodeURIComponent(server)}`}
    >
      {prompt ? (
        <PromptReader key={selected} server={server} prompt={prompt} />
      ) : (
        <p className="text-ink-soft">The server no longer has this prompt.</p>
      )}
    </ItemBrowser>
  );
}

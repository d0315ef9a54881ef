import { useMutation, useQuery } from '@tanstack/react-query';
import { MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { ContentBlock } from '../../components/content/ContentBlock.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Description } from '../../components/ExpandableText.tsx';
import { Form } from '../../components/fields.tsx';
import { isRecord } from '../../components/is-record.ts';
import { JsonView } from '../../components/JsonView.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { plural } from '../../text/plural.ts';
import { CompletedField } from './CompletedField.tsx';
import { ItemBrowser, NothingOffered, useBrowsed, useServersOffering } from './ItemBrowser.tsx';

/** The prompts of all servers. */
export function PromptsTab() {
  const servers = useServersOffering(['prompts']);
  if (!servers) return <Spinner label="Loading prompts …" />;
  if (servers.length === 0) {
    return (
      <NothingOffered noun="prompt" icon={MessageSquareText}>
        None of the connected servers has prompts.
      </NothingOffered>
    );
  }
  return <ServerPrompts servers={servers} />;
}

function ServerPrompts({ servers }: { readonly servers: readonly string[] }) {
  const { server, selected } = useBrowsed('prompt', servers);
  const list = useQuery(queries.prompts(server));
  if (!list.data) return <QueryState query={list} what="prompts" />;
  const prompt = list.data.find(({ name }) => name === selected);
  return (
    <ItemBrowser
      noun="prompt"
      servers={servers}
      items={list.data.map((item) => ({
        key: String(item.name),
        title: String(item.title ?? item.name),
        detail: String(item.description ?? item.name),
      }))}
    >
      {prompt ? (
        <PromptReader key={selected} server={server} prompt={prompt} />
      ) : (
        <p className="text-ink-soft">The server no longer has this prompt.</p>
      )}
    </ItemBrowser>
  );
}

type Item = Readonly<Record<string, unknown>>;

interface PromptReaderProps {
  readonly server: string;
  readonly prompt: Item;
}

const maxMessages = 50;

/** A prompt with its arguments and the messages it produces. */
function PromptReader({ server, prompt }: PromptReaderProps) {
  const name = String(prompt.name);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const getting = useMutation({
    mutationFn: () => api.getPrompt({ path: { server, prompt: name }, body: { arguments: omitEmpty(values) } }),
  });
  const args = Array.isArray(prompt.arguments) ? prompt.arguments.filter(isRecord) : [];
  return (
    <>
      <header className="flex min-w-0 flex-col gap-1">
        <h2 className="text-base break-words">{safeText(prompt.title ?? name, 200)}</h2>
        <Description text={String(prompt.description ?? '')} />
      </header>
      <Form className="flex min-w-0 flex-col gap-3" onSubmit={() => getting.mutate()}>
        {args.slice(0, 100).map((argument) => (
          <CompletedField
            key={String(argument.name)}
            server={server}
            reference={{ type: 'ref/prompt', name }}
            name={String(argument.name)}
            label={String(argument.title ?? argument.name)}
            required={argument.required === true}
            values={values}
            onChange={(value) => setValues({ ...values, [String(argument.name)]: value })}
            hint={typeof argument.description === 'string' ? argument.description : undefined}
          />
        ))}
        <Button type="submit" look="primary" busy={getting.isPending} className="self-start">
          Get prompt
        </Button>
      </Form>
      {getting.isError && <ErrorNotice title="Could not get the prompt" error={getting.error} />}
      {getting.data && <Messages server={server} result={getting.data} />}
    </>
  );
}

function Messages({ server, result }: { readonly server: string; readonly result: Item }) {
  const messages = Array.isArray(result.messages) ? result.messages.filter(isRecord) : undefined;
  if (!messages) return <JsonView value={result} what="result" />;
  return (
    <section aria-label="Messages" className="flex min-w-0 flex-col gap-3">
      {messages.length === 0 && <p className="text-ink-soft">The prompt has no messages.</p>}
      {messages.slice(0, maxMessages).map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages do not move
        <div key={at} className="flex min-w-0 flex-col items-start gap-1 border-l-2 border-line pl-3">
          <Badge>{safeText(message.role, 40)}</Badge>
          <div className="w-full min-w-0">
            {[message.content].flat().map((block, part) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts do not move
              <ContentBlock key={part} block={isRecord(block) ? block : { type: 'unknown', block }} server={server} />
            ))}
          </div>
        </div>
      ))}
      {messages.length > maxMessages && (
        <p className="text-ink-soft">{`${plural(messages.length - maxMessages, { one: '# more message is', other: '# more messages are' })} not shown.`}</p>
      )}
    </section>
  );
}

function omitEmpty(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Server, type ServerRecord } from '../../../api/client.ts';
import { Button } from '../../../components/Button.tsx';
import { Card } from '../../../components/Card.tsx';
import { Field, Form, TextArea } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { useToast } from '../../../components/Toasts.tsx';
import { text } from '../../../text/text.ts';
import { toFormProblems } from '../form-problems.ts';
import { toDraft, toInput } from '../server-draft.ts';

const words = text.inspector.roots;

/** The directories that the server gets as its roots. Those of a stored server can be changed here. */
export function ServerRoots({ server }: { readonly server: Server }) {
  const { roots, record } = server;
  return (
    <Card className="flex flex-col gap-3 p-4">
      <p className="text-ink-soft">{roots ? words.ofServer : words.ofClients}</p>
      {roots && (
        <ul className="flex flex-col gap-1">
          {roots.map(({ uri, name }) => (
            <li key={uri}>
              {safeText(name, 200)} <code className="break-all text-ink-faint">{safeText(uri, 2_000)}</code>
            </li>
          ))}
        </ul>
      )}
      {record ? (
        <RootsForm key={record.updatedAt} record={record} />
      ) : (
        <p className="text-xs text-ink-faint">{words.readOnly}</p>
      )}
    </Card>
  );
}

function RootsForm({ record }: { readonly record: ServerRecord }) {
  const client = useQueryClient();
  const toast = useToast();
  const [draft, setDraft] = useState(() => toDraft(record));
  const saving = useMutation({
    mutationFn: () => api.updateServer({ path: { server: record.name }, body: toInput(draft) }),
    onSuccess: () => toast(words.saved),
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  });
  const problems = toFormProblems(saving.error, toInput(draft));
  return (
    <Form className="flex flex-col items-start gap-3" onSubmit={() => saving.mutate()}>
      <Field label={words.label} hint={words.hint} error={problems.at('roots')} className="w-full">
        {(field) => (
          <TextArea
            {...field}
            rows={3}
            spellCheck={false}
            className="font-mono"
            value={draft.roots}
            onChange={(event) => setDraft({ ...draft, roots: event.target.value })}
          />
        )}
      </Field>
      <Button look="primary" type="submit" busy={saving.isPending}>
        {words.save}
      </Button>
    </Form>
  );
}

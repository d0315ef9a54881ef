import { useState } from 'react';
import { api, type Server, type ServerRecord } from '../../../api/client.ts';
import { Button } from '../../../components/Button.tsx';
import { Card } from '../../../components/Card.tsx';
import { Form } from '../../../components/fields.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { SettingFields } from '../../../components/settings-form/SettingFields.tsx';
import { fieldsFor } from '../../../components/settings-form/setting-values.ts';
import { useAction } from '../../../components/use-action.ts';
import { toFormProblems } from '../form-problems.ts';
import { toDraft, toInput } from '../server-draft.ts';

/** The directories that the server gets as its roots. Those of a stored server can be changed here. */
export function ServerRoots({ server }: { readonly server: Server }) {
  const { roots, record, revision } = server;
  return (
    <Card className="flex flex-col gap-3 p-4">
      <p className="text-ink-soft">
        {roots
          ? 'The server gets these roots when it asks, whichever client calls it.'
          : 'The server gets the roots of the client that calls it. Tools that you run in the app have none.'}
      </p>
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
        <RootsForm key={revision} record={record} revision={revision} />
      ) : (
        <p className="text-xs text-ink-faint">Change them with `roots` of this server in the configuration file.</p>
      )}
    </Card>
  );
}

function RootsForm({ record, revision }: { readonly record: ServerRecord } & Pick<Server, 'revision'>) {
  const [draft, setDraft] = useState(() => toDraft(record));
  const saving = useAction({
    run: () => api.updateServer({ path: { server: record.name }, body: { ...toInput(draft), revision } }),
    done: 'Saved. The server was connected again.',
    refetch: ['servers'],
    showsError: true,
  });
  const problems = toFormProblems(saving.error, toInput(draft));
  return (
    <Form className="flex flex-col items-start gap-3" onSubmit={() => saving.mutate()}>
      <div className="w-full">
        <SettingFields
          fields={fieldsFor('server', ['roots'])}
          values={draft.settings}
          problemAt={problems.at}
          onChange={(part) => setDraft({ ...draft, settings: { ...draft.settings, ...part } })}
        />
      </div>
      <Button look="primary" type="submit" busy={saving.isPending}>
        Save roots
      </Button>
    </Form>
  );
}

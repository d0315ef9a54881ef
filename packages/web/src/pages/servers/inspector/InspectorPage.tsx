import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Suspense, useState } from 'react';
import { api, type Server, type ServerRecord } from '../../../api/client.ts';
import { queries, useMay } from '../../../api/queries.ts';
import { Button, ButtonLink } from '../../../components/Button.tsx';
import { Card } from '../../../components/Card.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { Form } from '../../../components/fields.tsx';
import { MissingPermission } from '../../../components/NeedsPermission.tsx';
import { Page } from '../../../components/Page.tsx';
import { QueryState } from '../../../components/QueryState.tsx';
import { ServerStatus } from '../../../components/ServerStatus.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { safeText } from '../../../components/safe-text.ts';
import { SettingFields } from '../../../components/settings-form/SettingFields.tsx';
import { fieldsFor } from '../../../components/settings-form/setting-values.ts';
import { useAction } from '../../../components/use-action.ts';
import { useSlot } from '../../../shell/feature.ts';
import { toFormProblems } from '../form-problems.ts';
import { readServer, serverAddress } from '../server-address.ts';
import { toDraft, toInput } from '../server-draft.ts';
import { InspectorTabs } from './InspectorTabs.tsx';
import { SignInSteps } from './SignInSteps.tsx';

/** The traffic, resource updates and sign-in of one server, for administrators. */
export default function InspectorPage() {
  const name = readServer(location.pathname) ?? '';
  const servers = useQuery(queries.servers());
  const session = useQuery(queries.session());
  const mayInspect = useMay('traffic.read');
  const server = servers.data?.find((item) => item.name === name);
  const back = (
    <ButtonLink href={serverAddress(name)} icon={ArrowLeft}>
      Back to the server
    </ButtonLink>
  );
  return (
    <Page
      title={`Inspector: ${safeText(name, 100)}`}
      description={server && <ServerStatus status={server.status} enabled={server.enabled} />}
      actions={back}
    >
      {(!servers.data || !session.data) && <QueryState query={servers} what="Servers" />}
      {session.data && !mayInspect && <MissingPermission permission="traffic.read" />}
      {servers.data && !server && <EmptyState title="There is no such server" actions={back} />}
      {server && mayInspect && <Inspector key={name} server={server} />}
    </Page>
  );
}

function Inspector({ server }: { readonly server: Server }) {
  const Traffic = useSlot('inspector');
  const tabs = [
    { id: 'roots', label: 'Roots', content: <ServerRoots server={server} /> },
    { id: 'sign-in', label: 'Sign-in', content: <SignInSteps server={server} /> },
  ];
  if (!Traffic) return <InspectorTabs server={server} tabs={tabs} />;
  return (
    <Suspense fallback={<Spinner label="Loading …" />}>
      <Traffic server={server} tabs={tabs} />
    </Suspense>
  );
}

/** The directories that the server gets as its roots. Those of a stored server can be changed here. */
function ServerRoots({ server }: { readonly server: Server }) {
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

import { useMutation, useQuery } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import type { Session } from '../../api/client.ts';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { setAppsSetting, useAppsSetting } from '../../components/app-view/apps-setting.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Card, CardHeader } from '../../components/Card.tsx';
import { SelectField, Switch } from '../../components/fields.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { ProviderLink, SignInForm } from '../../components/SignIn.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useToast } from '../../components/Toasts.tsx';
import { applyLanguage, language, languages, nameLanguage } from '../../text/language.ts';
import { text } from '../../text/text.ts';
import { Facts } from './Facts.tsx';

const viaLabels: Readonly<Record<NonNullable<Session['via']>, string>> = {
  'admin-token': text.settings.sessionSection.adminToken,
  key: text.settings.sessionSection.apiKey,
  jwt: text.settings.sessionSection.identityProvider,
  loopback: text.settings.sessionSection.localConnection,
  'sign-in': text.settings.sessionSection.identityProvider,
  oauth: text.settings.sessionSection.accessToken,
};

const rightLabels: Readonly<Record<Session['rights'][number], string>> = {
  read: text.settings.sessionSection.read,
  call: text.settings.sessionSection.callToolsChat,
  admin: text.settings.sessionSection.administer,
};

/** The current session, and a form to sign in with another key. */
export function SessionSection() {
  const session = useQuery(queries.session());
  if (!session.data) return <QueryState query={session} what={text.settings.sessionSection.session} />;
  const { via, caller, role, profile, mayAddPrograms, tokenFile, signIn: provider } = session.data;
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,4fr)_minmax(0,3fr)]">
      <Card>
        <CardHeader
          title={text.settings.sessionSection.currentSession}
          actions={via !== 'loopback' && <SignOutButton atProvider={via === 'sign-in'} />}
        />
        <Facts
          facts={[
            [
              text.common.name,
              <span key="name" translate="no">
                {safeText(caller?.name ?? caller?.id ?? text.settings.sessionSection.unknown, 100)}
              </span>,
            ],
            via && [
              text.settings.sessionSection.signedVia,
              via === 'sign-in' && provider ? safeText(provider.name, 60) : viaLabels[via],
            ],
            role && [text.settings.sessionSection.role, text.settings.sessionSection.ownRole[role]],
            [
              text.common.profile,
              session.data.rights.includes('admin')
                ? text.settings.sessionSection.allProfiles
                : safeText(profile ?? 'default', 100),
            ],
            [
              text.settings.sessionSection.rights,
              <span key="rights" className="flex flex-wrap gap-1">
                {session.data.rights.map((right) => (
                  <Badge key={right}>{rightLabels[right]}</Badge>
                ))}
              </span>,
            ],
            [text.settings.sessionSection.addLocalStdioServers, mayAddPrograms ? text.common.yes : text.common.no],
          ]}
        />
      </Card>
      <Card>
        <CardHeader
          title={via === 'loopback' ? text.common.signIn : text.settings.sessionSection.signAnotherKey}
          hint={text.settings.sessionSection.adminTokenLetsAdd}
        />
        <div className="flex flex-col gap-3 p-4">
          {tokenFile !== undefined && (
            <p className="text-ink-soft">
              {text.settings.sessionSection.adminTokenGateway(
                <code className="text-xs">{safeText(tokenFile, 500)}</code>,
              )}
            </p>
          )}
          {provider && via !== 'sign-in' && <ProviderLink name={provider.name} />}
          <SignInForm onDone={reloadApp} />
        </div>
      </Card>
      <Card>
        <CardHeader title={text.toolApp.setting} />
        <div className="p-4">
          <AppsSwitch canShow={session.data.showsApps} />
        </div>
      </Card>
      {languages.length > 1 && (
        <Card>
          <CardHeader title={text.settings.sessionSection.language} />
          <div className="p-4">
            <SelectField
              label={text.settings.sessionSection.languageOfApp}
              hint={text.settings.sessionSection.storedInBrowser}
              options={languages.map((code) => [code, nameLanguage(code)] as const)}
              value={language}
              onChange={applyLanguage}
            />
          </div>
        </Card>
      )}
    </div>
  );
}

function AppsSwitch({ canShow }: { readonly canShow: boolean }) {
  const isOn = useAppsSetting();
  return (
    <Switch
      label={text.toolApp.settingLabel}
      hint={canShow ? text.toolApp.settingHint : text.toolApp.settingOff}
      checked={canShow && isOn}
      disabled={!canShow}
      onChange={setAppsSetting}
    />
  );
}

/** `atProvider`: the gateway also ends the session at the identity provider, which shows a page for that. */
function SignOutButton({ atProvider }: { readonly atProvider: boolean }) {
  const toast = useToast();
  const signingOut = useMutation({
    mutationFn: async () => (atProvider ? location.assign('/api/sign-out') : api.closeSession()),
    onSuccess: () => atProvider || reloadApp(),
    onError: toast.error,
  });
  return (
    <Button size="small" busy={signingOut.isPending} onClick={() => signingOut.mutate()}>
      <LogOut aria-hidden />
      {text.settings.sessionSection.signOut}
    </Button>
  );
}

/** Drops everything that the previous session loaded. */
function reloadApp(): void {
  location.reload();
}

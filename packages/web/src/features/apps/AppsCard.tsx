import { useQuery } from '@tanstack/react-query';
import { queries } from '../../api/queries.ts';
import { Card, CardHeader } from '../../components/Card.tsx';
import { Switch } from '../../components/fields.tsx';
import { setAppsSetting, useAppsSetting } from './apps-setting.ts';

/** Switches apps on and off in this browser. */
export default function AppsCard() {
  const canShow = useQuery(queries.session()).data?.showsApps === true;
  const isOn = useAppsSetting();
  return (
    <Card>
      <CardHeader title="Apps of servers" />
      <div className="p-4">
        <Switch
          label="Show apps"
          hint={
            canShow
              ? 'Shows the apps of tool results in chats and in the tool explorer. Stored in this browser.'
              : 'Apps cannot be shown here: see gateway.apps in the configuration.'
          }
          checked={canShow && isOn}
          disabled={!canShow}
          onChange={setAppsSetting}
        />
      </div>
    </Card>
  );
}

import { useQuery } from '@tanstack/react-query';
import { AppWindow } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import type { ToolAppProps } from '../../shell/feature.ts';
import { useAppsSetting } from './apps-setting.ts';

// Most people never see an app, and the bridge to apps is large.
const AppView = lazy(() => {
  // Zod, which the bridge uses, would try to compile its schemas, and the policy of this page forbids that.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
  return import('./AppView.tsx');
});

/** The app of a tool's result (MCP Apps), in a frame of its own. Nothing if apps are turned off. */
export default function ToolApp({ callId, opens, showsQuestions = false }: ToolAppProps) {
  const canShow = useQuery(queries.session()).data?.showsApps === true;
  const isOn = useAppsSetting();
  const [chosen, setChosen] = useState<boolean>();
  if (!canShow || !isOn) return null;
  if (!(chosen ?? opens))
    return (
      <Button size="small" className="self-start" onClick={() => setChosen(true)} icon={AppWindow}>
        Show app
      </Button>
    );
  return (
    <Suspense fallback={<Spinner />}>
      <AppView callId={callId} showsQuestions={showsQuestions} onClose={() => setChosen(false)} />
    </Suspense>
  );
}

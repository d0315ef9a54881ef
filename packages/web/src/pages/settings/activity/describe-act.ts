import { capitalize } from '../../../text/capitalize.ts';

/** The operations whose name says too little. */
const operations = new Map(
  Object.entries({
    clearTraffic: 'Clear messages of server',
    closeSession: 'Sign out of the app',
    createPolicyRule: 'Store policy rule',
    createScript: 'Save script',
    finishSignIn: 'Finish sign-in to server',
    openSession: 'Sign in to the app',
    overrideTool: 'Rename or describe tool',
    putAssistant: 'Save assistant',
    putModelSettings: 'Save model settings',
    recordTraffic: 'Record messages of server',
    refreshServer: 'Refresh tools of server',
    removePolicyRule: 'Delete policy rule',
    removeScript: 'Delete script',
    setServerToken: 'Set token of server',
    signIn: 'Sign in to the app',
    signOut: 'Sign out of server',
    switchTools: 'Switch tools on or off',
    updatePolicyRule: 'Change policy rule',
    updateProfile: 'Change profile',
    updateProvider: 'Change provider',
    updateScript: 'Change script',
    updateServer: 'Change server',
  }),
);

/** The name of an operation for people: `createKey` becomes `Create key`. */
export function nameOperation(operation: string): string {
  return operations.get(operation) ?? capitalize(operation.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase());
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** The short values of an act: which key, server or profile it is about, without ids. */
export function describeAct(details: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(details ?? {})
    .flatMap(([name, value]) => {
      if (typeof value === 'boolean') return [`${name}: ${value}`];
      return typeof value === 'string' && !uuid.test(value) ? [value] : [];
    })
    .slice(0, 3)
    .join(' · ');
}

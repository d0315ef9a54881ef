const operationsTexts = {
  acceptSkillChange: 'Accept skill change',
  acceptToolChange: 'Accept tool change',
  addProvider: 'Add provider',
  addServer: 'Add server',
  answerApproval: 'Answer approval',
  applyConfiguration: 'Apply configuration',
  clearTraffic: 'Clear messages of server',
  closeSession: 'Sign out of the app',
  connectServer: 'Connect server',
  changeAccount: 'Change account',
  connectAccount: 'Connect account',
  disconnectAccount: 'Disconnect account',
  createKey: 'Create key',
  createProfile: 'Create profile',
  createScript: 'Save script',
  disableServer: 'Disable server',
  disableUser: 'Disable user',
  disconnectServer: 'Disconnect server',
  enableServer: 'Enable server',
  enableUser: 'Enable user',
  finishSignIn: 'Finish sign-in to server',
  openSession: 'Sign in to the app',
  overrideTool: 'Rename or describe tool',
  putAssistant: 'Save assistant',
  putModelSettings: 'Save model settings',
  recordTraffic: 'Record messages of server',
  refreshServer: 'Refresh tools of server',
  rejectToolChange: 'Reject tool change',
  removeAssistant: 'Remove assistant',
  removeProfile: 'Remove profile',
  removeProvider: 'Remove provider',
  removeScript: 'Delete script',
  removeServer: 'Remove server',
  removeUser: 'Remove user',
  revokeKey: 'Revoke key',
  revokeRule: 'Revoke rule',
  setServerToken: 'Set token of server',
  signIn: 'Sign in to the app',
  signOut: 'Sign out of server',
  switchTools: 'Switch tools on or off',
  testProvider: 'Test provider',
  testServer: 'Test server',
  updateProfile: 'Change profile',
  updateProvider: 'Change provider',
  updateScript: 'Change script',
  updateServer: 'Change server',
};

const operations = new Map(Object.entries(operationsTexts));

/** The name of an operation. A record of another version may have one without a text: `createKey` becomes `create key`. */
export function nameOperation(operation: string): string {
  return operations.get(operation) ?? operation.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
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

import { expect, test } from 'vitest';
import * as assistants from '../features/chat/assistants/assistant-draft.ts';
import * as scripts from '../features/scripts/script-draft.ts';
import * as profiles from '../pages/profiles/profile-draft.ts';
import { toEndpoint, toEndpointDraft } from '../pages/servers/endpoints/endpoint-draft.ts';
import * as servers from '../pages/servers/server-draft.ts';
import type { Assistant, Profile, Script, ServerRecord } from './client.ts';

// Settings of a gateway that is newer than the form.
const newer = { newSetting: { deep: [1] }, otherNew: false };

test('a server keeps the settings that the form does not show', () => {
  const stored = {
    ...{ id: '1', name: 's', transport: 'http', url: 'https://a.example/mcp', enabled: true, ...newer },
    ...{ createdAt: '', updatedAt: '', lastConnectedAt: '', timeout: 1, retryAttempts: 1, allowInsecure: false },
    authentication: { type: 'bearer', token: { set: true }, prefix: 'Token' },
  } as unknown as ServerRecord;
  const sent = servers.toInput(servers.toDraft(stored));
  expect(sent).toMatchObject({ ...newer, authentication: { type: 'bearer', token: { set: true }, prefix: 'Token' } });
  for (const key of ['id', 'createdAt', 'updatedAt', 'lastConnectedAt']) expect(sent).not.toHaveProperty(key);
  const draft = servers.toDraft(stored);
  const basic = servers.toInput({ ...draft, authentication: { ...draft.authentication, type: 'basic' } });
  expect(basic.authentication).not.toHaveProperty('prefix');
});

test('an endpoint, a profile, an assistant and a script keep the settings that their forms do not show', () => {
  const endpoint = { name: 'read', method: 'GET', path: '/a', ...newer } as const;
  expect(toEndpoint(toEndpointDraft(endpoint))).toMatchObject(newer);
  const settings = { naming: 'flat', approval: { mode: 'auto', ...newer }, revision: 3, ...newer };
  const profile = profiles.toSettings(profiles.toDraft({ name: 'p', settings } as unknown as Profile));
  expect(profile).toMatchObject({ ...newer, naming: 'flat', approval: { mode: 'auto', ...newer } });
  expect(profile).not.toHaveProperty('revision');
  const assistant = {
    id: '1',
    name: 'a',
    model: {},
    serverIds: [],
    maxSteps: 3,
    revision: 2,
    ...newer,
  } as unknown as Assistant;
  const input = assistants.toInput(assistants.toDraft(assistant));
  expect(input).toMatchObject({ ...newer, maxSteps: 3 });
  for (const key of ['id', 'revision']) expect(input).not.toHaveProperty(key);
  expect(input).not.toHaveProperty('others');
  const script = {
    name: 's',
    code: '1',
    timeoutMs: 5,
    maxInstances: 1,
    readOnly: false,
    tool: 't',
    revision: 2,
    ...newer,
  };
  const sent = scripts.toSettings(scripts.toDraft(script as unknown as Script));
  expect(sent).toMatchObject({ ...newer, code: '1' });
  for (const key of ['timeoutMs', 'tool', 'readOnly', 'revision', 'name', 'others'])
    expect(sent).not.toHaveProperty(key);
});

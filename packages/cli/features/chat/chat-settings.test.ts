import { describe, expect, test } from 'vitest';
import { assistantSchema } from '../../../contract/records/assistant.ts';
import type { ProviderInfo } from '../../../gateway/features/chat/models/models.ts';
import { findAssistant, findModel, findServers } from './chat-settings.ts';

const ids = ['6f1c2b3a-0000-4000-8000-000000000001', '6f1c2b3a-0000-4000-8000-000000000002'];
const assistants = ['Notes', 'Research'].map((name, at) => assistantSchema.parse({ id: ids[at], name }));
const providers: ProviderInfo[] = [
  { id: ids[0] ?? '', name: 'OpenRouter', kind: 'openai-compatible', source: 'store', hasKey: true },
  { id: 'openai', name: 'OpenAI', kind: 'openai', source: 'environment', hasKey: true },
  { id: 'demo', name: 'Demo', kind: 'demo', source: 'built-in', hasKey: false },
];

describe('settings on the command line', () => {
  test('an assistant is found by name or id, and the first one is used if none is given', () => {
    expect(findAssistant(undefined, assistants).name).toBe('Notes');
    expect(findAssistant('research', assistants).name).toBe('Research');
    expect(findAssistant(ids[1], assistants).name).toBe('Research');
    expect(() => findAssistant('6f1c2b3a', assistants)).toThrow("several assistants named '6f1c2b3a'");
    expect(() => findAssistant(undefined, [])).toThrow('toolwharf assistants add');
  });

  test('a model is given as PROVIDER/MODEL, and the name of the model may contain slashes', () => {
    expect(findModel('openrouter/meta/llama-4', providers)).toEqual({ provider: ids[0], model: 'meta/llama-4' });
    expect(findModel('openai/gpt-5', providers)).toEqual({ provider: 'openai', model: 'gpt-5' });
    expect(findModel('demo', providers)).toEqual({ provider: 'demo', model: 'demo' });
    expect(() => findModel('openai/', providers)).toThrow('Write openai/MODEL');
    expect(() => findModel('gpt-5', providers)).toThrow("no provider 'gpt-5'");
  });

  test('comma-separated server names become server ids', () => {
    const servers = [
      { id: 'files', name: 'files' },
      { id: ids[0] ?? '', name: 'crm' },
    ];
    expect(findServers('crm, files', servers)).toEqual([ids[0], 'files']);
    expect(() => findServers('files,crn', servers)).toThrow("did you mean 'crm'?");
    expect(findServers('', servers)).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import { appsExtension, mapAppUri, showsApps, toolAppOf } from './app-tools.ts';

test.each([
  [undefined, { isForModel: true, isForApp: true }],
  [{ ui: { resourceUri: 'ui://a' } }, { resourceUri: 'ui://a', isForModel: true, isForApp: true }],
  [{ 'ui/resourceUri': 'ui://a' }, { resourceUri: 'ui://a', isForModel: true, isForApp: true }],
  [{ ui: { resourceUri: 'https://a' } }, { isForModel: true, isForApp: true }],
  [{ ui: { visibility: ['app'] } }, { isForModel: false, isForApp: true }],
  [{ ui: { visibility: ['model'] } }, { isForModel: true, isForApp: false }],
  [{ ui: { visibility: [] } }, { isForModel: false, isForApp: false }],
  [{ ui: 'x' }, { isForModel: true, isForApp: true }],
])('the metadata %j of a tool means %j', (_meta, meaning) => {
  expect(toolAppOf({ _meta })).toEqual(meaning);
});

test('a client shows apps if it announces the extension with the media type of apps', () => {
  const announce = (apps: unknown) => showsApps({ extensions: { [appsExtension]: apps } });
  expect(announce({ mimeTypes: ['text/html;profile=mcp-app'] })).toBe(true);
  expect(announce({})).toBe(true);
  expect(announce({ mimeTypes: ['text/html'] })).toBe(false);
  expect(announce(true)).toBe(false);
  expect(showsApps({})).toBe(false);
});

test('the URI of an app is replaced in both forms, and everything else stays', () => {
  const tool = {
    name: 'a',
    _meta: { ui: { resourceUri: 'ui://a', visibility: ['app'] }, 'ui/resourceUri': 'ui://a', b: 1 },
  };
  expect(mapAppUri(tool, (uri) => `${uri}!`)).toEqual({
    name: 'a',
    _meta: { ui: { resourceUri: 'ui://a!', visibility: ['app'] }, 'ui/resourceUri': 'ui://a!', b: 1 },
  });
  const other = { name: 'a', _meta: { b: 1 } };
  expect(mapAppUri(other, () => '!')).toBe(other);
});

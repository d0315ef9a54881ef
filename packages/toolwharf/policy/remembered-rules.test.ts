import { expect, test } from 'vitest';
import type { Caller } from '../kernel/tool.ts';
import { hasParentSegment } from './comparable-text.ts';
import { isForCaller, matchesArguments, type RememberedRule } from './remembered-rules.ts';

const rule: RememberedRule = { id: 'r', scope: 'tool', answer: 'allow', createdAt: '2026-01-01T00:00:00Z' };
const caller: Caller = { id: 'assistant:a', kind: 'assistant', conversation: 'c1' };

test('a rule holds for its conversation, its caller or everyone, and a rule of an earlier version for everyone', () => {
  expect(isForCaller(rule, caller)).toBe(true);
  expect(isForCaller({ ...rule, audience: 'everyone' }, caller)).toBe(true);
  expect(isForCaller({ ...rule, audience: 'caller', caller: 'assistant:a' }, caller)).toBe(true);
  expect(isForCaller({ ...rule, audience: 'caller', caller: 'assistant:b' }, caller)).toBe(false);
  expect(isForCaller({ ...rule, audience: 'caller' }, caller)).toBe(false);
  expect(isForCaller({ ...rule, audience: 'conversation', conversation: 'c1' }, caller)).toBe(true);
  expect(isForCaller({ ...rule, scope: 'conversation', conversation: 'c2' }, caller)).toBe(false);
  expect(isForCaller({ ...rule, audience: 'conversation' }, { id: 'x', kind: 'client' })).toBe(false);
});

test('argument patterns match text, numbers and booleans of own members only', () => {
  const matches = (args: object) => matchesArguments({ path: 'docs/*' }, args as never, { answer: 'allow' });
  expect(matchesArguments(undefined, undefined, { answer: 'allow' })).toBe(true);
  expect(matches({ path: 'docs/a.md', other: 1 })).toBe(true);
  expect(matches({ path: 'src/a.md' })).toBe(false);
  expect(matches({ path: ['docs/a.md'] })).toBe(false);
  expect(matches({})).toBe(false);
  expect(matchesArguments({ path: 'docs/*' }, undefined, { answer: 'allow' })).toBe(false);
  expect(matchesArguments({ count: '1?' }, { count: 12 }, { answer: 'allow' })).toBe(true);
  expect(matchesArguments({ toString: '*' }, {}, { answer: 'allow' })).toBe(false);
});

test('a rule that denies holds if it is unclear whether the arguments match', () => {
  const denies = (path: unknown) => matchesArguments({ path: '/etc/*' }, { path } as never, { answer: 'deny' });
  expect(denies('/etc/passwd')).toBe(true);
  expect(denies('/tmp/../etc/passwd')).toBe(true);
  expect(denies(['/etc/passwd'])).toBe(true);
  expect(denies(`/etc/${'x'.repeat(20_000)}`)).toBe(true);
  expect(denies('/tmp/x')).toBe(false);
  expect(denies(undefined)).toBe(false);
});

test('a very long text matches no pattern of a rule that allows', () => {
  expect(matchesArguments({ path: 'docs/*' }, { path: `docs/${'x'.repeat(20_000)}` }, { answer: 'allow' })).toBe(false);
});

test.each(['docs/../x', '../x', 'docs/..', 'docs\\..\\x', 'docs/%2e%2E/x', 'docs/%252e%252e%252fx', 'docs%2f..'])(
  '%s has the segment `..`',
  (path) => {
    expect(hasParentSegment(path)).toBe(true);
    expect(matchesArguments({ path: 'docs*' }, { path }, { answer: 'allow' })).toBe(false);
  },
);

test.each(['docs/..a', 'docs/a..b', '...', 'docs/.hidden'])('%s does not have the segment `..`', (path) => {
  expect(hasParentSegment(path)).toBe(false);
});

const docs = { path: 'docs/*' };
const allows = (path: unknown, patterns: Record<string, string> = docs) =>
  matchesArguments(patterns, { path }, { answer: 'allow' });
const denies = (path: unknown, patterns: Record<string, string> = { path: '/etc/*' }) =>
  matchesArguments(patterns, { path }, { answer: 'deny' });

test.each([
  'docs/..\0/x',
  'docs/..;/x',
  'docs/..;a=b/x',
  'docs/．．/x',
  'docs/․․/x',
  'docs/‥/x',
  'docs/。。/x',
  'docs/.\u200b./x',
  'docs/\u2060../x',
  'docs/.\ufe0f./x',
  'docs/.\u00ad./x',
  'docs／..／x',
  'docs∕..∕x',
  'docs\\..\\x',
  'docs/.. /x',
  'docs/%2e%2e/x',
  'docs/%252e%252e/x',
  'docs/%c0%ae%c0%ae/x',
  'docs/%ef%bc%8e%ef%bc%8e/x',
  'docs/%u002e%u002e/x',
  'docs/..%00/x',
  'docs/..%3b/x',
  'docs/x\u202e',
  'docs/x\n/etc/passwd',
  'docs/\ud800',
  'docs/..?/x',
  'docs/..#/x',
  'docs/..%20/x',
  'docs/.. ./x',
  'docs/..::$DATA/x',
  'docs/%%32%65%%32%65/x',
  `docs/%${'25'.repeat(8)}2e%${'25'.repeat(8)}2e/x`,
  `docs/%${'25'.repeat(20)}2e/x`,
  'docs/..¥x',
  'docs/..₩x',
  'docs/..￥x',
])('a rule that allows docs/* does not hold for %j [O7]', (path) => {
  expect(allows(path)).toBe(false);
});

test.each(['docs/a b.md', 'docs/a//b', 'docs/./a', 'docs/a%20b', 'docs/é', 'docs/e\u0301', 'docs/東京（1）', 'docs/❤️'])(
  'a rule that allows docs/* holds for %j',
  (path) => {
    expect(allows(path)).toBe(true);
  },
);

test.each([
  ['https://*.ok.test/*', 'https://evil.test/x.ok.test/'],
  ['https://*.ok.test/*', 'https://evil.test#.ok.test/'],
  ['https://*.ok.test/*', 'https://evil.test?.ok.test/'],
  ['https://*.ok.test/*', 'https://evil.test\\.ok.test/'],
  ['https://ok.test*', 'https://ok.test@evil.test/'],
  ['http*://*.ok.test/*', 'http://evil.test/.ok.test/'],
  ['*@ok.test', 'evil@evil.test,ada@ok.test'],
  ['*@ok.test', 'evil@evil.test;ada@ok.test'],
  ['*@ok.test', 'evil@evil.test ada@ok.test'],
  ['*@ok.test', '<evil@evil.test>@ok.test'],
  ['*@ok.test', 'evil%evil.test@ok.test'],
  ['*.txt', '/etc/passwd%00.txt'],
  ['*.txt', '/etc/passwd%250a.txt'],
])('a rule that allows %s does not hold for %j [O7]', (pattern, text) => {
  expect(allows(text, { path: pattern })).toBe(false);
});

test.each([
  ['https://*.ok.test/*', 'https://docs.ok.test/a?b=c@d#e'],
  ['https://a?.ok.test/*', 'https://ab.ok.test/x'],
  ['https://*', 'https://anything.test/x'],
  ['memo://a*b', 'memo://a/x/b'],
  ['*@ok.test', 'ada.lovelace+x@ok.test'],
  ['ada@ok.test, *@ok.test', 'ada@ok.test, max@ok.test'],
])('a rule that allows %s holds for %j', (pattern, text) => {
  expect(allows(text, { path: pattern })).toBe(true);
});

test('patterns with unusual spellings match texts with the same spelling', () => {
  for (const [pattern, text] of [
    ['docs//a*', 'docs//ab'],
    ['./docs/*', './docs/a'],
    ['C:\\\\docs\\\\*', 'C:\\docs\\a'],
    ['https://example.com/*', 'https://example.com/a/b?c=%2F'],
    ['file:///docs/*', 'file:///docs/a'],
    ['a%20b*', 'a%20bc'],
    ['cafe\u0301*', 'café au lait'],
    ['！*', '！x'],
    ['*', 'first line\nsecond line'],
  ] as const)
    expect([pattern, text, allows(text, { path: pattern })]).toEqual([pattern, text, true]);
  expect(allows('ab', { path: 'a＊' })).toBe(false);
});

test.each([
  '/etc/passwd',
  '//etc/passwd',
  '/./etc/passwd',
  '/etc\\passwd',
  '\\etc\\passwd',
  '/%65tc/passwd',
  '/%2565tc/passwd',
  '/e\u200btc/passwd',
  '/ｅｔｃ/passwd',
  '／etc／passwd',
  '∕etc∕passwd',
  '/etc;v=1/passwd',
  '/\0etc/passwd',
  '/tmp/..;/etc/passwd',
  '/etc%2fpasswd',
  'file:///etc/passwd',
  'file:/etc/passwd',
  '/etc./passwd',
  'file://localhost/etc/passwd',
  'file://127.0.0.1/tmp/../etc/passwd',
  '//localhost/etc/passwd',
  '\\\\localhost\\etc\\passwd',
  ' /etc/passwd',
  '/ETC/passwd',
  'C:\\etc\\passwd',
  'c:/etc/passwd',
  'file:///C:/etc/passwd',
  '\\\\?\\C:\\etc\\passwd',
  '\\??\\C:\\etc\\passwd',
  '\\\\localhost\\C$\\etc\\passwd',
  '\\\\?\\UNC\\127.0.0.1\\c$\\etc\\passwd',
  '/etc',
  '/etc/',
  ['/etc/passwd'],
])('a rule that denies /etc/* holds for %j [O7]', (path) => {
  expect(denies(path)).toBe(true);
});

test.each(['/tmp/x', 'etc/x', '/etcetera', 'a text about /etc/passwd'])(
  'a rule that denies /etc/* leaves out %j',
  (path) => {
    expect(denies(path)).toBe(false);
  },
);

test.each([
  ['https://evil.com/*', 'HTTPS://EVIL.com/x'],
  ['https://evil.com/*', 'https://evil.com:443/x'],
  ['https://evil.com/*', 'https://u@evil.com/x'],
  ['https://evil.com/*', 'https://u:p@evil.com./x'],
  ['https://evil.com/*', 'https:\\\\evil.com\\x'],
  ['https://evil.com/*', 'https://evil.com'],
  ['https://evil.com/*', 'view-source:https://evil.com/x'],
  ['http://Evil.com:80/*', 'http://evil.com/x'],
  ['true', 'TRUE'],
  ['rm *', 'rm\t-rf'],
  ['rm *', ' rm  -rf'],
  ['DROP *', 'drop\ntable x'],
  ['[!a-z]*', 'A'],
  ['/etc/passwd', '/etc/passwd/'],
  ['/etc/passwd', '/etc/passwd\0.txt'],
  ['/etc/passwd', '/etc/passwd%00.txt'],
  ['/etc/passwd', '/etc/passwd::$DATA'],
  ['C:/Windows/*', '\\\\?\\C:\\Windows\\x'],
  ['C:/Windows/*', '//localhost/c$/Windows/x'],
  ['*@evil.com', 'Eve <eve@evil.com>'],
  ['*@evil.com', 'eve@evil.com, ada@ok.com'],
  ['*@evil.com', 'EVE@EVIL.COM'],
])('a rule that denies %j holds for %j [O7]', (pattern, text) => {
  expect(denies(text, { path: pattern })).toBe(true);
});

test.each([
  ['https://evil.com/*', 'https://evil.com.example/x'],
  ['https://evil.com/*', 'https://example.com/?u=https://evil.com/x'],
  ['rm *', 'rmdir x'],
  ['true', 'truer'],
  ['*@evil.com', 'eve@evil.com.example'],
  ['bug', 'bug: it crashes'],
])('a rule that denies %j leaves out %j', (pattern, text) => {
  expect(denies(text, { path: pattern })).toBe(false);
});

test('a rule that allows certain arguments does not hold for a call with members that no rule compares [O7]', () => {
  const holds = (answer: 'allow' | 'deny', patterns?: Record<string, string>) =>
    matchesArguments(patterns, { path: 'docs/a' }, { answer, hasExtraParams: true });
  expect(holds('allow', docs)).toBe(false);
  expect(holds('allow')).toBe(true);
  expect(holds('deny', docs)).toBe(true);
});

test('a rule that denies a number holds for each spelling of it [O7]', () => {
  for (const value of [13, 13.0, 1.3e1, '13', ' 13', '13.0', '1.3e1']) expect(denies(value, { path: '13' })).toBe(true);
  for (const value of [14, '', 'x', 130]) expect(denies(value, { path: '13' })).toBe(false);
  expect(denies(1e21, { path: '1000000000000000000000' })).toBe(true);
  expect(allows(1000, { path: '1??' })).toBe(false);
});

test('an argument that cannot be compared is denied by a rule that denies, and not allowed by one that allows [O7]', () => {
  const hidden = new Set(['path']);
  const args = { path: 'docs/a' };
  expect(matchesArguments({ path: '*' }, args, { answer: 'allow', hidden })).toBe(false);
  expect(matchesArguments({ path: 'x' }, args, { answer: 'deny', hidden })).toBe(true);
});

test.each([
  'https://evil.test;.example.com',
  'https://evil.test&.example.com',
  'https://evil.test:.example.com',
  'https://evil.test%23.example.com',
  'https://[::1].example.com',
  'ssh://evil.test/.example.com',
  'hxxps://evil.test/.example.com',
])('%s is not on a host of example.com', (url) => {
  expect(allows(url, { path: '*://*.example.com' })).toBe(false);
});

test.each(['https://api.example.com', 'http://api.example.com', 'https://bücher.example.com', 'git://api.example.com'])(
  '%s is on a host of example.com',
  (url) => {
    expect(allows(url, { path: '*://*.example.com' })).toBe(true);
  },
);

test.each(['attacker.test!evil@example.com', '=?utf-8?q?evil=40attacker.test=3e?=@example.com'])(
  'mail to %s may reach another domain',
  (to) => {
    expect(allows(to, { path: '*@example.com' })).toBe(false);
    expect(allows('bob+x@example.com', { path: '*@example.com' })).toBe(true);
  },
);

test.each([
  'file://127.1/etc/passwd',
  'file://[0:0:0:0:0:0:0:1]/etc/passwd',
  'file://any.test/etc/passwd',
  'file://ada@localhost/etc/passwd',
  'file://localhost:80/etc/passwd',
  'file:///C|/etc/passwd',
  'fi\nle:///etc/passwd',
  'url:file:///etc/passwd',
  'jar:file:///etc/passwd',
  'view-source:file:///%65tc/passwd',
  '/etc:$I30:$INDEX_ALLOCATION/passwd',
])('a rule that denies /etc/* holds for %j', (path) => {
  expect(matchesArguments({ path: '/etc/*' }, { path }, { answer: 'deny' })).toBe(true);
  expect(
    matchesArguments(
      { path: '/etc/*' },
      { path: path.replace('etc', 'tmp').replace('%65tc', 'tmp') },
      { answer: 'deny' },
    ),
  ).toBe(false);
});

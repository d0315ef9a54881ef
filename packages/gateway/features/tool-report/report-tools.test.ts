import { expect, test } from 'vitest';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import type { CountedGroup } from '../../../toolwharf/storage/ports/call-counts.ts';
import { reportTools } from './report-tools.ts';

const day = 86_400_000;
const until = Date.parse('2026-03-01T00:00:00Z');

const entry = (server: string | undefined, originalName: string, definition: object) =>
  ({
    ...{ name: server === undefined ? originalName : `${server}__${originalName}`, server, originalName },
    definition: { inputSchema: { type: 'object' }, ...definition },
  }) as unknown as CatalogEntry;

const parameters = (...names: string[]) => ({
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string', description: `The ${name}` }])),
  },
});

interface Recorded {
  readonly calls?: readonly CountedGroup[];
  /** Newest first, as the journal lists them. */
  readonly records?: readonly Partial<CallRecord>[];
}

const used = entry('used', 'tool', { description: 'Has been called, and has nothing to do with the others' });
const usedGroup: CountedGroup = {
  key: 'used__tool',
  server: 'used',
  originalName: 'tool',
  parts: [{ calls: 1, outcome: 'success' }],
};

const report = (entries: readonly CatalogEntry[], { calls = [usedGroup], records = [] }: Recorded = {}) =>
  reportTools({
    ...{ entries: [...entries, used], since: until - day, until },
    describeServer: (server) => (server === 'github' ? 'Repositories on GitHub' : undefined),
    storage: {
      journal: { list: async () => records as CallRecord[] },
      callCounts: { count: async () => ({ buckets: [], servers: [], callers: [], tools: calls }) },
    },
  });

const kindsOf = (found: Awaited<ReturnType<typeof report>>, name: string) =>
  found.tools.find((tool) => tool.name === name)?.problems.map(({ kind }) => kind);

const group = (server: string, originalName: string, count: number): CountedGroup => ({
  ...{ key: `${server}__${originalName}`, server, originalName },
  parts: [{ calls: count, outcome: 'success' }],
});

test('a tool without a description, or with one that repeats its name, gets a proposal of its name, server and parameters', async () => {
  const found = await report([
    entry('github', 'create_issue', parameters('repo', 'title')),
    entry('crm', 'list_contacts', { description: 'List contacts', ...parameters('page') }),
    entry('crm', 'archive', { description: 'Moves closed deals to the archive, where only managers find them.' }),
  ]);
  expect(kindsOf(found, 'github__create_issue')).toEqual(['no-description', 'unused']);
  expect(kindsOf(found, 'crm__list_contacts')).toEqual(['useless-description', 'unused']);
  expect(kindsOf(found, 'crm__archive')).toEqual(['unused']);
  const proposals = Object.fromEntries(found.tools.map(({ name, proposal }) => [name, proposal?.description]));
  expect(proposals).toEqual({
    github__create_issue: 'Create issue (github). Takes repo and title. Repositories on GitHub.',
    crm__list_contacts: 'List contacts (crm). Takes page.',
    crm__archive: undefined,
  });
});

test('parameters without a description are named, except those that explain themselves', async () => {
  const properties = { id: { type: 'string' }, color: { enum: ['red'] }, at: { $ref: '#/$defs/time' }, anything: true };
  const found = await report([
    entry('a', 'paint', { description: 'Paints a wall in a color', inputSchema: { type: 'object', properties } }),
  ]);
  expect(found.tools[0]?.problems[0]).toEqual({ kind: 'undescribed-parameters', text: 'Without a description: id.' });
});

test('tools that a search finds for each other are confusable, and each proposal says what only that tool has', async () => {
  const search = (...names: string[]) => ({
    description: 'Searches the open tickets of a team by their text',
    ...parameters(...names),
  });
  const found = await report([
    entry('github', 'search_issues', search('query')),
    entry('jira', 'search_issues', search('jql')),
    entry('mail', 'send', { description: 'Sends a message to people by mail', ...parameters('to') }),
    entry('chat', 'post', { description: 'Posts into a room where a team talks', ...parameters('room') }),
  ]);
  expect(kindsOf(found, 'github__search_issues')).toEqual(['confusable', 'unused']);
  expect(found.tools.find(({ name }) => name === 'jira__search_issues')?.problems[0]).toMatchObject({
    kind: 'confusable',
    tools: ['github__search_issues'],
  });
  expect(kindsOf(found, 'mail__send')).toEqual(['unused']);
  const proposals = found.tools.flatMap(({ proposal }) => proposal?.description ?? []);
  expect(proposals.toSorted()).toEqual([
    'Searches the open tickets of a team by their text. Only for github: Repositories on GitHub.',
    'Searches the open tickets of a team by their text. Only for jira.',
  ]);
});

test('two similar tools of one server are told apart by their parameters', async () => {
  const found = await report([
    entry('files', 'read_file', { description: 'Reads a file', ...parameters('path') }),
    entry('files', 'read_files', { description: 'Reads a file', ...parameters('paths', 'limit') }),
    entry('files', 'remove', { description: 'Deletes something for ever' }),
  ]);
  const proposal = found.tools.find(({ name }) => name === 'files__read_files')?.proposal?.description;
  expect(proposal).toContain('Takes paths and limit, unlike read_file.');
});

test('tokens of tools that nobody called are counted apart, and a tool that was called without problems is left out', async () => {
  const good = { description: 'Adds two numbers and returns their sum' };
  const entries = [
    entry('math', 'add', good),
    entry('math', 'divide', { description: 'Divides numbers, not by zero' }),
  ];
  const found = await report(entries, { calls: [group('math', 'add', 3), usedGroup] });
  expect(found.tools.map(({ name, calls }) => [name, calls])).toEqual([['math__divide', 0]]);
  expect(found.unusedTokens).toBe(found.tools[0]?.tokens);
  expect(found.tokens).toBeGreaterThan(found.unusedTokens);
});

test('a schema that a provider does not accept is a problem with the reason', async () => {
  const inputSchema = { type: 'object', properties: { 'filter[id]': { type: 'string', description: 'An id' } } };
  const found = await report([entry('tree', 'walk', { description: 'Walks along a list of nodes', inputSchema })]);
  const refused = found.tools[0]?.problems.find(({ kind }) => kind === 'refused');
  expect(refused?.text).toMatch(/^Cannot be offered in the format of anthropic: .*filter\[id\]/);
});

test('recorded searches count if their caller called a tool soon afterwards, and are judged with and without the proposals', async () => {
  const at = (minute: number) => new Date(until - day + minute * 60_000).toISOString();
  const caller = { id: 'agent', kind: 'program' } as const;
  const search = (minute: number, query: string, who: object = caller) =>
    ({
      kind: 'search',
      tool: 'search_tools',
      arguments: { query },
      caller: who,
      createdAt: at(minute),
    }) as Partial<CallRecord>;
  const call = (minute: number, server: string, originalName: string) =>
    ({
      tool: `${server}__${originalName}`,
      server,
      originalName,
      caller,
      arguments: {},
      createdAt: at(minute),
    }) as Partial<CallRecord>;
  const records = [
    search(90, 'nothing was called after this'),
    call(61, 'hr', 'x1'),
    search(60, 'repositories'),
    // The call came too late.
    call(50, 'hr', 'x1'),
    search(20, 'repositories'),
    call(11, 'math', 'add'),
    // Another caller searched.
    search(10, 'add', { id: 'other', kind: 'program' }),
    search(9, 'add numbers'),
  ];
  const entries = [
    entry('math', 'add', { description: 'Adds two numbers and returns their sum' }),
    entry('hr', 'x1', {}),
  ];
  const found = await report(entries, { records });
  // The proposal for x1 names its server only, so that the query finds no more than before.
  expect(found.searches).toEqual({ counted: 2, found: 1, foundWithProposals: 1 });
  const described = await report([entries[0] as CatalogEntry, entry('github', 'x1', {})], {
    records: records.map((record) => (record.server === 'hr' ? { ...record, server: 'github' } : record)),
  });
  expect(described.searches).toMatchObject({ counted: 2, foundWithProposals: 2 });
});

test('where nobody has called a tool in the period, no tool is reported as never called', async () => {
  const found = await report([entry('math', 'add', { description: 'Adds two numbers and returns their sum' })], {
    calls: [],
  });
  expect(found.tools).toEqual([]);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolDocument } from './tool-fields.ts';
import { createToolIndex, type ToolIndex } from './tool-index.ts';

function tool(server: string, name: string, description: string, more: Partial<ToolDocument> = {}): ToolDocument {
  return { id: `${server}__${name}`, server, name, description, ...more };
}

const tools = [
  tool('github', 'create_issue', 'Create a new issue in a repository.'),
  tool('github', 'list_issues', 'List the issues of a repository.'),
  tool('github', 'merge_pull_request', 'Merge a pull request.'),
  tool('files', 'readTextFile', 'Read the content of a file.', {
    inputSchema: { type: 'object', properties: { encoding: { type: 'string', enum: ['utf8', 'latin1'] } } },
  }),
  tool('files', 'writeFile', 'Write a file. Replaces the file if it exists.'),
  tool('weather', 'forecast', '获取天气预报', { serverText: 'Meteorology for everyone' }),
];

function indexOf(documents: readonly ToolDocument[]): ToolIndex {
  const index = createToolIndex();
  for (const document of documents) index.set(document);
  return index;
}

const idsOf = (index: ToolIndex, query: string) => index.search(query).map(({ id }) => id);

describe('a search', () => {
  const index = indexOf(tools);

  test.each([
    ['creating issues', 'github__create_issue'],
    ['read text file', 'files__readTextFile'],
    ['latin1 encoding', 'files__readTextFile'],
    ['天气', 'weather__forecast'],
    ['meteorology', 'weather__forecast'],
    ['merge a pull request', 'github__merge_pull_request'],
  ])('a search for "%s" finds %s first', (query, expected) => {
    expect(idsOf(index, query)[0]).toBe(expected);
  });

  test('a search corrects misspelt words and shows the correction', () => {
    const [first] = index.search('mrege reqest');
    expect(first).toMatchObject({ id: 'github__merge_pull_request', matched: ['mrege→merge', 'reqest→request'] });
  });

  test('a search names the words that matched, as they were written', () => {
    expect(index.search('listing repository gardens')[0]?.matched).toEqual(['listing', 'repository']);
  });

  test('a search finds words of similar meaning, below tools that have the word itself', () => {
    const [first, second] = index.search('save directory');
    expect(first).toMatchObject({ id: 'files__writeFile', matched: ['save≈write'] });
    expect(second).toBeUndefined();
    const both = indexOf([...tools, tool('notes', 'save', 'Save a note.')]);
    expect(idsOf(both, 'save')).toEqual(['notes__save', 'files__writeFile']);
  });

  test('a tool of which the query has the whole name is before tools with the same words elsewhere', () => {
    const named = indexOf([
      tool('b', 'income', 'Net income: computes the net income.'),
      tool('a', 'report_of_all_regions', 'Net income: computes the net income.'),
    ]);
    expect(idsOf(named, 'net income')).toEqual(['b__income', 'a__report_of_all_regions']);
  });

  test('a search adds the deviations of words and meaning', () => {
    const meaning = new Map([
      ['weather__forecast', 0.9],
      ['files__readTextFile', 0.4],
      ['files__writeFile', 0.1],
    ]);
    const found = index.search('write file', { meaning, limit: 3 });
    expect(found.map(({ id }) => id)).toEqual(['files__writeFile', 'weather__forecast', 'files__readTextFile']);
    expect(index.search('write file', { meaning, server: 'files' }).every(({ id }) => id.startsWith('files__'))).toBe(
      true,
    );
  });

  test('a meaning that does not tell the tools apart changes no ranking', () => {
    const byWords = idsOf(index, 'write file');
    const even = new Map(tools.map(({ id }, at) => [id, at % 2]));
    const found = index.search('write file', { meaning: even }).map(({ id }) => id);
    expect(found[0]).toBe(byWords[0]);
  });

  test('a tool that matches no word is found if its meaning stands out', () => {
    const meaning = new Map([
      ['weather__forecast', 0.6],
      ['github__list_issues', 0.1],
    ]);
    expect(index.search('umbrella', { meaning }).map(({ id }) => id)).toEqual(['weather__forecast']);
    expect(index.search('umbrella', { meaning: new Map() })).toEqual([]);
  });

  test('a server that matches does not return its tools that match no word', () => {
    const shop = indexOf([
      tool('billing', 'charge_customer', 'Charges a customer.'),
      tool('billing', 'list_plans', 'Lists the plans.'),
      tool('billing', 'refund', 'Refunds a payment.'),
    ]);
    expect(idsOf(shop, 'charge customer')).toEqual(['billing__charge_customer']);
  });

  test('a search is limited to one server, and to a number of results', () => {
    expect(index.search('file issue', { server: 'files' }).every(({ id }) => id.startsWith('files__'))).toBe(true);
    expect(index.search('file issue', { limit: 2 })).toHaveLength(2);
  });

  test('a search without a word that any tool has returns nothing', () => {
    expect(index.search('xylophone')).toEqual([]);
    expect(index.search('the of and')).toEqual([]);
    expect(index.search('')).toEqual([]);
    expect(createToolIndex().search('file')).toEqual([]);
  });

  test.each([
    ['createIssue', 'github__create_issue'],
    ['CREATE_ISSUE', 'github__create_issue'],
    ['github create-issue', 'github__create_issue'],
    ['github__create_issue', 'github__create_issue'],
    ['mergePullRequset', 'github__merge_pull_request'],
    [
      'Please open the repository of our team and create an issue about the crash from yesterday',
      'github__create_issue',
    ],
    ['прогноз погоды', 'погода__forecast'],
    ['मौसम', 'mausam__forecast'],
    ['wettervorhersge', 'wetter__forecast'],
    ['Vorhersage', 'wetter__forecast'],
    ['Rechnungsversand', 'buchhaltung__versand'],
    ['meteorológico calendário', 'agenda__calendario'],
  ])('a search for %s finds %s first, in any spelling and language', (query, expected) => {
    const all = indexOf([
      ...tools,
      tool('погода', 'forecast', 'Показывает прогноз погоды.'),
      tool('mausam', 'forecast', 'मौसम का पूर्वानुमान'),
      tool('wetter', 'forecast', 'Zeigt die Wettervorhersage.'),
      tool('buchhaltung', 'versand', 'Versand einer Rechnung.'),
      tool('agenda', 'calendario', 'Calendario meteorologico.'),
    ]);
    expect(idsOf(all, query)[0]).toBe(expected);
  });

  test('a search does not read what follows the first 2 000 characters, nor encoded data', () => {
    const data = Buffer.from('merge a pull request '.repeat(20)).toString('base64');
    expect(index.search(`read file ${data}`)).toEqual(index.search('read file'));
    expect(index.search(`read file ${' '.repeat(2_000)} merge`)).toEqual(index.search('read file'));
    expect(index.search('merge '.repeat(2_000))[0]?.id).toBe('github__merge_pull_request');
    expect(index.search('x'.repeat(10_000))).toEqual([]);
  });

  test('of tools that differ in their ids only, the first by id are returned', () => {
    const same = Array.from({ length: 10_000 }, (_, at) => ({
      ...tool('same', 'create_issue', 'Create an issue.'),
      id: `t${String((at * 7_919) % 10_000).padStart(5, '0')}`,
    }));
    const found = indexOf(same).search('create issue', { limit: 50 });
    expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, at) => `t${String(at).padStart(5, '0')}`));
  });

  test('a search is not confused by names of the object prototype', () => {
    expect(idsOf(indexOf([tool('x', 'constructor', '__proto__ toString')]), 'constructor')).toEqual(['x__constructor']);
  });
});

describe('a change of the index', () => {
  test('a deleted tool is no longer found, and a replaced one only by its new words', () => {
    const index = indexOf(tools);
    index.delete('github__create_issue');
    index.set(tool('files', 'writeFile', 'Store bytes.'));
    expect(index.size).toBe(tools.length - 1);
    expect(idsOf(index, 'create')).toEqual([]);
    expect(index.search('replaces')).toEqual([]);
    expect(idsOf(index, 'bytes')[0]).toBe('files__writeFile');
    index.delete('unknown');
    expect(index.size).toBe(tools.length - 1);
  });

  test('after any changes, an index answers like a new index of the same tools', () => {
    const words = ['create', 'issue', 'file', 'board', 'report', 'merge', 'kanban', 'invoice'];
    const some = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 });
    const change = fc.record({
      at: fc.nat(30),
      name: some,
      text: some,
      server: fc.constantFrom('a', 'b'),
      add: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 400 }), some, (changes, query) => {
        const index = createToolIndex();
        const current = new Map<string, ToolDocument>();
        for (const { at, name, text, server, add } of changes) {
          const document = { id: `t${at}`, server, name: name.join('_'), description: text.join(' ') };
          if (add) index.set(document);
          else index.delete(document.id);
          if (add) current.set(document.id, document);
          else current.delete(document.id);
          for (const _step of index.sweep());
        }
        const toScores = (one: ToolIndex) =>
          new Map(one.search(query.join(' '), { limit: 50 }).map(({ id, score }) => [id, score.toFixed(6)]));
        expect(toScores(index)).toEqual(toScores(indexOf([...current.values()])));
      }),
      { numRuns: 60 },
    );
  });
});

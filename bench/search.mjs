// `npm run bench:search -- --data FOLDER`: quality and speed of the tool search, with a plain BM25, MiniSearch and Orama beside it.
// Each set is a folder with tools.json and queries.json, real tools and tasks with the tools that they need: FOLDER itself and the folders
// in it. agent_queries.json, if it is there, has the searches of an agent during those tasks. Without --data, quality is not measured.
// --only keywords measures the quality of keywords and of the plain BM25, and nothing else; --quick does not measure speed.
// The speed is compared with a call through the built gateway (`npm run build`).
// --embeddings names the package of the embeddings; with `none`, keywords alone are measured.
// --tokenizer names a module with a function `encode`, to which the estimated tokens of the tools are compared.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { create, insert, search as searchOrama } from '@orama/orama';
import MiniSearch from 'minisearch';
import { readResult, readResultDefinition } from '../packages/toolwharf/features/references/read-result.ts';
import { defaultEmbeddings, openEmbeddings } from '../packages/toolwharf/features/search/embeddings/open-embeddings.ts';
import { createToolSearch, searchToolDefinitions } from '../packages/toolwharf/features/search/search-tools.ts';
import { splitWords } from '../packages/toolwharf/features/search/split-words.ts';
import { createToolIndex } from '../packages/toolwharf/features/search/tool-index.ts';
import { createToolVectors } from '../packages/toolwharf/features/search/tool-vectors.ts';
import { countTokens } from '../packages/toolwharf/features/signatures/count-tokens.ts';
import { toReference } from '../packages/toolwharf/invocation/references.ts';
import { load, mainScript } from './parts/processes.mjs';
import { median } from './parts/statistics.mjs';
import { inWorkplace } from './parts/workplace.mjs';

const warmUpRounds = 20;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    only: { type: 'string' },
    quick: { type: 'boolean' },
    tokenizer: { type: 'string' },
    embeddings: { type: 'string', default: defaultEmbeddings },
  },
});

async function printQuality(folder) {
  const folders = [
    folder,
    ...readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name)),
  ].filter((one) => existsSync(join(one, 'tools.json')));
  const recalls = new Map();
  for (const one of folders)
    for (const [engine, measured] of Object.entries(await printSet(one)))
      recalls.set(engine, [...(recalls.get(engine) ?? []), measured['recall@10']]);
  console.log('recall@10 of each set, and the mean of the sets');
  const mean = (list) => Number((list.reduce((sum, one) => sum + one, 0) / list.length).toFixed(1));
  const rows = [...recalls].map(([engine, list]) => [
    engine,
    { ...Object.fromEntries(list.map((recall, at) => [basename(folders[at]), recall])), mean: mean(list) },
  ]);
  console.table(Object.fromEntries(rows));
}

async function printSet(folder) {
  const read = (name) => (existsSync(join(folder, name)) ? JSON.parse(readFileSync(join(folder, name), 'utf8')) : []);
  const documents = read('tools.json').map(toDocument);
  const tasks = read('queries.json').filter(({ relevantGroups }) => relevantGroups.length > 0);
  const searches = Map.groupBy(read('agent_queries.json'), ({ task }) => task);
  console.log(`Quality: ${basename(folder)}, ${documents.length} tools, ${tasks.length} tasks`);
  const rows = {};
  const createEmbeddings = lazyEmbeddings(documents);
  for (const [name, createEngine] of Object.entries(engines)) {
    if (values.only === 'keywords' && !keywordEngines.has(name)) continue;
    const search = await createEngine(documents, createEmbeddings);
    if (search) rows[name] = await measureQuality(search, tasks, searches);
  }
  console.table(rows);
  return rows;
}

async function measureQuality(search, tasks, searches) {
  const found = (groups, ids) => groups.filter((group) => group.some((id) => ids.includes(id))).length / groups.length;
  const ranked = [];
  for (const { query, relevantGroups } of tasks) ranked.push({ groups: relevantGroups, ids: await search(query, 10) });
  const recall = (limit) => percent(ranked.map(({ groups, ids }) => found(groups, ids.slice(0, limit))));
  const searched = tasks.filter(({ id }) => searches.has(id));
  const byTask = new Map();
  for (const { id } of searched) {
    const lists = [];
    for (const { tool, server } of searches.get(id)) lists.push(await search(`${tool ?? ''} ${server ?? ''}`, 5));
    byTask.set(id, lists);
  }
  const coverage = (limit) =>
    percent(
      searched.map(({ id, relevantGroups }) =>
        found(
          relevantGroups,
          byTask.get(id).flatMap((ids) => ids.slice(0, limit)),
        ),
      ),
    );
  return {
    'recall@1': recall(1),
    'recall@5': recall(5),
    'recall@10': recall(10),
    'nDCG@10': percent(ranked.map(({ groups, ids }) => discountedGain(groups, ids))),
    'all needed in 5': percent(ranked.map(({ groups, ids }) => (found(groups, ids.slice(0, 5)) === 1 ? 1 : 0))),
    ...(searched.length > 0 && { 'coverage@3': coverage(3), 'coverage@5': coverage(5) }),
  };
}

/** The gain of the results, less for lower ranks, relative to the best possible order. Each group counts once. */
function discountedGain(groups, ids) {
  const open = new Set(groups);
  const discount = (rank) => 1 / Math.log2(rank + 2);
  let gain = 0;
  for (const [rank, id] of ids.entries()) {
    const group = [...open].find((candidate) => candidate.includes(id));
    if (group && open.delete(group)) gain += discount(rank);
  }
  const ideal = Array.from({ length: Math.min(10, groups.length) }, (_, rank) => discount(rank));
  return gain / ideal.reduce((sum, value) => sum + value, 0);
}

function percent(shares) {
  return Number(((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length).toFixed(1));
}

async function printSpeed() {
  const callMs = await measureCall();
  console.log('Speed: generated tools, queries of four words');
  const rows = [500, 5_000, 50_000].map((count) => {
    const documents = generateTools(count);
    const started = performance.now();
    const index = createToolIndex();
    for (const document of documents) index.set(document);
    const buildMs = performance.now() - started;
    const queries = Array.from({ length: 200 }, (_, at) => queryFor(documents[(at * 7_919) % count]));
    // Like the gateway that is compared, the search is warm.
    for (let round = 0; round < warmUpRounds; round++) for (const query of queries) index.search(query);
    const times = Array.from({ length: 5 }, () => queries.map((query) => timeOf(() => index.search(query))))
      .flat()
      .sort((one, other) => one - other);
    const at = (share) => times[Math.floor(share * times.length)];
    const changeMs = timeOf(() => index.set({ ...documents[0], description: 'Changed.' }));
    return [
      count,
      {
        'build ms': Math.round(buildMs),
        'query p50 ms': Number(at(0.5).toFixed(3)),
        'query p95 ms': Number(at(0.95).toFixed(3)),
        ...(callMs && {
          'p50 to a call %': percent([at(0.5) / callMs.alone]),
          'p50 to one of 16 %': percent([at(0.5) / callMs.of16]),
        }),
        'change of one tool ms': Number(changeMs.toFixed(3)),
      },
    ];
  });
  console.table(Object.fromEntries(rows));
}

/** The time of a `tools/call` over HTTP through the gateway (p50), of one client and of 16 clients at the same time. */
async function measureCall() {
  if (!existsSync(mainScript)) {
    console.log('A call through the gateway: not measured, because the build is missing.');
    return undefined;
  }
  const found = await inWorkplace(async ({ echo, gateway }) => {
    const { address } = await echo();
    const ours = await gateway({ http: { url: address } });
    const measure = async (clients, ms, calls) => {
      const call = { era: 'modern', tool: 'http__echo', args: { text: 'hello' } };
      return (await load({ ...call, url: `${ours.address}/mcp`, clients, ms, calls }, [ours])).p50;
    };
    await measure(64, 60_000, 30_000);
    const runs = [];
    for (let turn = 0; turn < 3; turn++) runs.push({ alone: await measure(1, 2_000), of16: await measure(16, 2_000) });
    return { alone: median(runs.map(({ alone }) => alone)), of16: median(runs.map(({ of16 }) => of16)) };
  });
  console.log(
    `A call through the gateway, p50: ${found.alone.toFixed(3)} ms of one client, ${found.of16.toFixed(3)} ms of 16 clients`,
  );
  return found;
}

/** The error of the estimated tokens, relative to a tokenizer. */
async function printTokenError(folder, tokenizer) {
  const { encode } = await import(tokenizer);
  const texts = JSON.parse(readFileSync(join(folder, 'tools.json'), 'utf8')).map(
    ({ name, title, description, inputSchema }) => JSON.stringify({ name, title, description, inputSchema }),
  );
  const exact = texts.map((text) => encode(text).length);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const errorOf = (estimates) => {
    const errors = estimates
      .map((estimate, at) => Math.abs(estimate / exact[at] - 1))
      .sort((one, other) => one - other);
    const at = (share) => percent([errors[Math.floor(share * errors.length)]]);
    return { 'sum %': percent([sum(estimates) / sum(exact) - 1]), 'median %': at(0.5), 'p95 %': at(0.95) };
  };
  console.log(`Error of the estimated tokens, compared with ${tokenizer}`);
  console.table({
    estimate: errorOf(texts.map(countTokens)),
    'characters / 4': errorOf(texts.map((text) => text.length / 4)),
  });
}

/** The estimated tokens of a list of all tools, of the tools for searching, and of finding one tool with them. */
async function printTokens() {
  console.log('Tokens, estimated: generated tools; a task searches once, describes one tool and calls it');
  const rows = [50, 500, 5_000].map(async (count) => {
    const documents = generateTools(count);
    const define = ({ id, description, inputSchema }) => ({ name: id, description, inputSchema });
    const byName = new Map(
      documents.map((document) => [
        document.id,
        { server: document.server, originalName: document.name, definition: define(document) },
      ]),
    );
    const tools = { byName, define: (name) => byName.get(name)?.definition, describeServer: () => undefined };
    const tokensOf = (value) => countTokens(JSON.stringify(value));
    const all = documents.reduce((sum, document) => sum + tokensOf(define(document)), 0);
    const upFront = [...searchToolDefinitions(), readResultDefinition()].reduce((sum, one) => sum + tokensOf(one), 0);
    const search = createToolSearch();
    const query = { query: queryFor(documents[0]) };
    const found = await search.search(tools, query);
    const name = found.structuredContent.tools[0].name;
    const costs = await Promise.all(
      ['json', 'typescript'].map(async (format) => {
        const described = await search.describe(tools, { names: [name], format });
        return [query, found.content[0].text, { names: [name] }, described.content[0].text, { name, arguments: {} }];
      }),
    );
    const [json, typescript] = costs.map((texts) =>
      texts.reduce((sum, text) => sum + (typeof text === 'string' ? countTokens(text) : tokensOf(text)), 0),
    );
    return [
      count,
      {
        'all tools': all,
        'tools for searching': upFront,
        'share %': Number(((100 * upFront) / all).toFixed(2)),
        'per task': json,
        'per task, TypeScript': typescript,
      },
    ];
  });
  console.table(Object.fromEntries(await Promise.all(rows)));
}

/** The estimated tokens of a large result: whole, and as a reference of which one value is read. */
async function printReferenceTokens() {
  console.log('Tokens, estimated: a result of rows, whole, and as a reference with one read_result by a JSON path');
  const rows = [100, 1_000, 5_000].map(async (count) => {
    const value = {
      rows: Array.from({ length: count }, (_, id) => ({ id, name: `Customer ${id}`, city: 'Hamburg', total: id * 7 })),
    };
    const result = { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
    const reference = toReference('result', 'example', result, JSON.stringify(value).length);
    const args = { ref: reference.ref, query: '$.rows[-1].total' };
    const read = await readResult(args, 'bench', async () => ({ result, bytes: 0 }));
    const texts = [JSON.stringify(reference), JSON.stringify(args), read.content[0].text];
    return [
      count,
      {
        bytes: JSON.stringify(value).length,
        whole: countTokens(JSON.stringify(value)),
        reference: texts.reduce((sum, text) => sum + countTokens(text), 0),
      },
    ];
  });
  console.table(Object.fromEntries(await Promise.all(rows)));
}

function timeOf(run) {
  const started = performance.now();
  run();
  return performance.now() - started;
}

const verbs = 'create update delete list search read write send move copy archive merge approve export import'.split(
  ' ',
);
const things =
  'issue invoice customer ticket branch document page image message calendar event deployment cluster report payment'.split(
    ' ',
  );
const contexts = 'project team account region folder workspace channel release department warehouse'.split(' ');

/** Tools with names and descriptions that differ, about 40 per server. */
function generateTools(count) {
  return Array.from({ length: count }, (_, at) => {
    const verb = verbs[at % verbs.length];
    const thing = things[Math.floor(at / verbs.length) % things.length];
    const context = contexts[Math.floor(at / 225) % contexts.length];
    const server = `service${Math.floor(at / 40)}`;
    return {
      id: `${server}__${verb}_${thing}_${at}`,
      server,
      serverText: `The ${context} service number ${Math.floor(at / 40)}`,
      name: `${verb}_${thing}_of_${context}_${at}`,
      description: `${verb} one ${thing} of a ${context}. Needs the right ${verb}:${thing} in the ${context}, and returns the ${thing}.`,
      inputSchema: {
        type: 'object',
        properties: {
          [`${thing}_id`]: { type: 'string', description: `Id of the ${thing}` },
          [context]: { type: 'string' },
        },
      },
    };
  });
}

function queryFor({ name, server }) {
  const [verb, thing, , context] = name.split('_');
  return `${verb} ${thing} ${context} ${server}`;
}

function toDocument({ id, server, serverTitle, serverDescription, name, title, description, inputSchema }) {
  return {
    id,
    server,
    serverText: [serverTitle, serverDescription].filter(Boolean).join('. '),
    name,
    title,
    description,
    inputSchema,
  };
}

/** Other libraries with their defaults, over the same fields. */
function flatten({ id, server, serverText, name, title = '', description = '', inputSchema }) {
  return { id, server, serverText, name, title, description, parameters: JSON.stringify(inputSchema ?? {}) };
}

const keywordEngines = new Set(['plain BM25', 'toolwharf, keywords']);

const engines = {
  'plain BM25': createPlainSearch,
  'toolwharf, keywords'(documents) {
    const index = createToolIndex();
    for (const document of documents) index.set(document);
    return (query, limit) => index.search(query, { limit }).map(({ id }) => id);
  },
  async 'toolwharf, keywords and embeddings'(documents, createEmbeddings) {
    const compare = await createEmbeddings();
    if (!compare) return undefined;
    const index = createToolIndex();
    for (const document of documents) index.set(document);
    return async (query, limit) => index.search(query, { limit, meaning: await compare(query) }).map(({ id }) => id);
  },
  async 'embeddings alone'(_documents, createEmbeddings) {
    const compare = await createEmbeddings();
    if (!compare) return undefined;
    return async (query, limit) =>
      [...(await compare(query))]
        .sort(([, one], [, other]) => other - one)
        .slice(0, limit)
        .map(([id]) => id);
  },
  minisearch(documents) {
    const index = new MiniSearch({ fields: ['server', 'serverText', 'name', 'title', 'description', 'parameters'] });
    index.addAll(documents.map(flatten));
    return (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => id);
  },
  orama(documents) {
    const text = ['server', 'serverText', 'name', 'title', 'description', 'parameters'];
    const index = create({ schema: Object.fromEntries(text.map((field) => [field, 'string'])) });
    // Without hooks and plugins, both functions are synchronous.
    for (const document of documents) void insert(index, flatten(document));
    return (query, limit) => searchOrama(index, { term: query, limit }).hits.map(({ id }) => id);
  },
};

/** BM25 as textbooks have it (k1 1.2, b 0.75), over one text with all fields. */
function createPlainSearch(documents) {
  const termsOf = (text) => splitWords(text).map(({ term }) => term);
  const texts = documents.map((document) =>
    termsOf(
      [document.name, document.title, document.description, document.server, document.serverText]
        .concat(textsOf(document.inputSchema))
        .join(' '),
    ),
  );
  const usual = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  const postings = new Map();
  for (const [at, terms] of texts.entries())
    for (const [term, same] of Map.groupBy(terms, (term) => term)) {
      const impact = (same.length * 2.2) / (same.length + 1.2 * (0.25 + 0.75 * (terms.length / usual)));
      if (!postings.has(term)) postings.set(term, []);
      postings.get(term).push([at, impact]);
    }
  return (query, limit) => {
    const scores = new Map();
    for (const term of termsOf(query)) {
      const posting = postings.get(term) ?? [];
      const rarity = Math.log(1 + (texts.length - posting.length + 0.5) / (posting.length + 0.5));
      for (const [at, impact] of posting) scores.set(at, (scores.get(at) ?? 0) + rarity * impact);
    }
    return [...scores]
      .sort(([, one], [, other]) => other - one)
      .slice(0, limit)
      .map(([at]) => documents[at].id);
  };
}

/** The names, descriptions and choices of parameters. */
function textsOf(schema) {
  if (typeof schema !== 'object' || schema === null) return [];
  const parameters = Object.entries(schema.properties ?? {});
  return [
    ...parameters.flatMap(([name, one]) => [name, one?.description, ...(one?.enum ?? []), ...textsOf(one)]),
    ...textsOf(schema.items),
  ];
}

/** Computes the vectors of the tools when they are first needed. */
function lazyEmbeddings(documents) {
  let comparing;
  return () => {
    comparing ??= values.embeddings === 'none' ? Promise.resolve(undefined) : openVectors(documents);
    return comparing;
  };
}

async function openVectors(documents) {
  const { embed } = openEmbeddings(values.embeddings);
  const vectors = createToolVectors(embed);
  for (const document of documents) vectors.set(document);
  const started = performance.now();
  while (!(await vectors.embedQuery('ready'))) await new Promise((resolve) => setTimeout(resolve, 200));
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`Embeddings of ${values.embeddings}: ${seconds} s for ${documents.length} tools in one thread`);
  const compared = new Map();
  return async (query) => {
    // A busy machine can take longer than a search waits.
    while (!compared.has(query)) {
      const vector = await vectors.embedQuery(query);
      if (vector) compared.set(query, vectors.compare(vector));
    }
    return compared.get(query);
  };
}

if (values.data !== undefined) await printQuality(values.data);
else console.log('Quality: not measured, because --data FOLDER is missing.\n');
if (values.data !== undefined && values.tokenizer !== undefined) await printTokenError(values.data, values.tokenizer);
if (values.only !== 'keywords') {
  await printTokens();
  await printReferenceTokens();
  if (!values.quick) await printSpeed();
}

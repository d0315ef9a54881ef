import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../packages/toolwharf/kernel/tool.ts';
import { isSuspicious, scanDefinition, scanWithIndex } from '../../packages/toolwharf/policy/scan-definition.ts';
import { indexNames } from '../../packages/toolwharf/policy/scan-definition-names.ts';

interface Labelled {
  readonly class: string;
  readonly definition: ToolDefinition;
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../fixtures/poisoned/${name}.json`, import.meta.url), 'utf8'));
const benign = (read('benign') as (ToolDefinition & { readonly server: string })[]).map(
  ({ server: _, ...definition }) => definition as ToolDefinition,
);
const real = benign.map(({ name }) => name);
// Maps look-alike letters to ASCII.
const names = indexNames([...real, 'read_file', 'send_email', 'list_files', 'create_issue']);
const isFlagged = (definition: ToolDefinition) => isSuspicious(scanWithIndex(definition, { names }));

function measure(set: string) {
  const poisoned = read(set) as Labelled[];
  const missed = poisoned.filter(({ definition }) => !isFlagged(definition));
  return { poisoned: poisoned.length, missed, recall: 1 - missed.length / poisoned.length };
}

interface Varied {
  readonly kind: string;
  readonly half: string;
  readonly server: string;
  readonly name: string;
  readonly description: string;
  /** The descriptions of the parameters. */
  readonly properties?: Readonly<Record<string, string>>;
}

function toDefinition({ name, description, properties = {} }: Varied): ToolDefinition {
  const parameters = Object.entries(properties).map(([key, text]) => [key, { type: 'string', description: text }]);
  return { name, description, inputSchema: { type: 'object', properties: Object.fromEntries(parameters) } };
}

/** The tools of the servers that the definitions are beside. */
function ownersOf(...sets: readonly (readonly Varied[])[]): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  const add = (server: string, tool: string) => owners.set(tool, (owners.get(tool) ?? new Set()).add(server));
  for (const { server, name } of sets.flat()) add(server, name);
  const others = {
    ...{ github: ['create_issue', 'search_repositories'], slack: ['post_message'], warehouse: ['query_database'] },
    ...{ filesystem: ['read_file'], mail: ['send_email'], bank: ['transfer_money'] },
    db: ['plan_migration', 'list_migrations', 'start_query', 'export_table'],
    shop: ['validate_cart', 'complete_upload', 'open_document'],
  };
  for (const [server, tools] of Object.entries(others)) for (const tool of tools) add(server, tool);
  return owners;
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

describe('the scanner for poisoned definitions', () => {
  const falseAlarms = benign.filter(isFlagged);
  const precisionWith = (found: number) => found / (found + falseAlarms.length);

  test('the scanner flags few of 527 definitions of real servers', () => {
    console.log(`scanner: ${falseAlarms.length} of ${benign.length} real definitions flagged`);
    expect(benign).toHaveLength(527);
    expect(falseAlarms.map(({ name }) => name).length).toBeLessThanOrEqual(3);
  });

  test.each([
    ['tuning', 0.95],
    ['held-out', 0.85],
    ['classes', 0.7],
  ])('the scanner for poisoned definitions finds most of the poisoned definitions of the set %s', (set, floor) => {
    const { poisoned, missed, recall } = measure(set);
    const precision = precisionWith(poisoned - missed.length);
    console.log(
      `scanner, ${set}: recall ${percent(recall)} of ${poisoned}, precision ${percent(precision)} beside the real ones`,
    );
    console.log(
      `  missed: ${missed.map(({ class: kind, definition }) => `${definition.name} (${kind})`).join(', ') || 'none'}`,
    );
    expect(recall).toBeGreaterThanOrEqual(floor);
    expect(precision).toBeGreaterThanOrEqual(0.9);
  });

  test('the scanner finds at least half of the poisoned definitions of each attack class', () => {
    const byClass = Map.groupBy(read('classes') as Labelled[], (one) => one.class);
    const weak = [...byClass].filter(([, ones]) => {
      const found = ones.filter(({ definition }) => isFlagged(definition)).length;
      return found < ones.length / 2;
    });
    expect(weak.map(([kind]) => kind)).toEqual(['pretended error', 'harmless wording']);
  });

  test('the scanner finds varied attacks and shadowing, and few of the definitions that only sound like attacks', () => {
    const { malicious, benign: hard } = read('varied') as Record<'malicious' | 'benign', Varied[]>;
    const owners = ownersOf(malicious, hard);
    const isFound = (one: Varied) => isSuspicious(scanDefinition(toDefinition(one), { server: one.server, owners }));
    for (const half of ['development', 'test']) {
      const [poisoned, honest] = [malicious, hard].map((set) => set.filter((one) => one.half === half)) as [
        Varied[],
        Varied[],
      ];
      const recall = poisoned.filter(isFound).length;
      const alarms = honest.filter(isFound).length;
      console.log(
        `scanner, varied, ${half}: ${recall} of ${poisoned.length} found, ${alarms} of ${honest.length} hard negatives flagged`,
      );
      expect(poisoned.length + honest.length).toBeGreaterThanOrEqual(66);
      expect(recall / poisoned.length).toBeGreaterThanOrEqual(0.9);
      expect(alarms).toBeLessThanOrEqual(2);
    }
    const shadowing = malicious.filter(({ kind }) => kind === 'shadow');
    expect(shadowing.filter((one) => !isFound(one))).toEqual([]);
  });

  test('the scanner finds the attacks of three further rounds, and flags few of their honest definitions', () => {
    const { malicious, benign: hard } = read('rounds') as Record<'malicious' | 'benign', Varied[]>;
    const owners = ownersOf(malicious, hard);
    const isFound = (one: Varied) => isSuspicious(scanDefinition(toDefinition(one), { server: one.server, owners }));
    const recall = malicious.filter(isFound).length;
    const alarms = hard.filter(isFound).length;
    console.log(
      `scanner, rounds: ${recall} of ${malicious.length} found, ${alarms} of ${hard.length} hard negatives flagged`,
    );
    expect(recall / malicious.length).toBeGreaterThanOrEqual(0.9);
    expect(alarms / hard.length).toBeLessThanOrEqual(0.05);
  });

  test('the scanner misses definitions written to evade its rules', () => {
    const { poisoned, recall } = measure('evasive');
    console.log(`scanner, evasive: recall ${percent(recall)} of ${poisoned}`);
    // The documentation states this low recall. If the scanner improves, the documentation must change.
    expect(recall).toBeLessThan(0.5);
  });

  test('the labelled set is large enough and covers every class', () => {
    const all = ['tuning', 'held-out', 'evasive'].flatMap((set) => read(set) as Labelled[]);
    expect(all.length).toBeGreaterThanOrEqual(60);
    expect([...new Set(all.map((one) => one.class))].sort()).toEqual([
      'cross-tool',
      'encoded',
      'exfiltration',
      'hidden',
      'instruction',
      'length',
      'look-alike',
      'secrecy',
      'secrets',
    ]);
    expect(new Set(all.map(({ definition }) => definition.description)).size).toBeGreaterThanOrEqual(all.length - 6);
  });
});

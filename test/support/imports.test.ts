import { expect, test } from 'vitest';
import { importsOf, packageOf, withoutComments } from './imports.ts';

const of = (source: string) =>
  importsOf('src/room/file.ts', source).map(({ to, types }) => (types ? `type ${to}` : to));

test('finds static imports and re-exports, over several lines too', () => {
  expect(
    of("import { a } from './a.ts';\nimport b, {\n  c,\n  type D,\n} from '../b/c.ts';\nexport * from './e.ts';"),
  ).toEqual(['src/room/a.ts', 'src/b/c.ts', 'src/room/e.ts']);
  expect(of("export { x as y } from '../x.ts';\nimport './effect.ts';")).toEqual(['src/x.ts', 'src/room/effect.ts']);
});

test('tells type imports from those that stay at run time', () => {
  expect(of("import type { A } from './a.ts';\nexport type { B } from './b.ts';")).toEqual([
    'type src/room/a.ts',
    'type src/room/b.ts',
  ]);
  expect(of("import { type A } from './a.ts';\nimport type from './t.ts';")).toEqual([
    'src/room/a.ts',
    'src/room/t.ts',
  ]);
});

test('finds dynamic imports and imports in type positions', () => {
  expect(of("const a = await import('./a.ts');\ntype B = import('pkg/sub').B;\nrequire('c');")).toEqual([
    'src/room/a.ts',
    'pkg/sub',
    'c',
  ]);
});

test('does not take comments, or exported declarations before an import, for imports', () => {
  expect(
    of("// import { a } from './a.ts';\n/* import('./b.ts') */\nexport const from = 1;\nexport const x = 'y';"),
  ).toEqual([]);
  expect(of("export function f() {}\nimport { a } from 'a';")).toEqual(['a']);
});

test('keeps strings that look like comments', () => {
  expect(withoutComments("const url = 'https://example.com'; // gone").trimEnd()).toBe(
    "const url = 'https://example.com';",
  );
});

test('names the package of a specifier', () => {
  expect([packageOf('@scope/name/deep'), packageOf('name/deep'), packageOf('node:fs')]).toEqual([
    '@scope/name',
    'name',
    'node:fs',
  ]);
});

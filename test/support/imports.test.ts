import { expect, test } from 'vitest';
import { importsOf, packageOf, withoutComments } from './imports.ts';

const listImports = (source: string) =>
  importsOf('src/room/file.ts', source).map(({ to, types }) => (types ? `type ${to}` : to));

test('importsOf finds static imports and re-exports, also over several lines', () => {
  expect(
    listImports(
      "import { a } from './a.ts';\nimport b, {\n  c,\n  type D,\n} from '../b/c.ts';\nexport * from './e.ts';",
    ),
  ).toEqual(['src/room/a.ts', 'src/b/c.ts', 'src/room/e.ts']);
  expect(listImports("export { x as y } from '../x.ts';\nimport './effect.ts';")).toEqual([
    'src/x.ts',
    'src/room/effect.ts',
  ]);
});

test('importsOf distinguishes type imports from those that remain at run time', () => {
  expect(listImports("import type { A } from './a.ts';\nexport type { B } from './b.ts';")).toEqual([
    'type src/room/a.ts',
    'type src/room/b.ts',
  ]);
  expect(listImports("import { type A } from './a.ts';\nimport type from './t.ts';")).toEqual([
    'src/room/a.ts',
    'src/room/t.ts',
  ]);
});

test('importsOf finds dynamic imports and imports in type positions', () => {
  expect(listImports("const a = await import('./a.ts');\ntype B = import('pkg/sub').B;\nrequire('c');")).toEqual([
    'src/room/a.ts',
    'pkg/sub',
    'c',
  ]);
});

test('importsOf ignores comments, and exported declarations before an import', () => {
  expect(
    listImports(
      "// import { a } from './a.ts';\n/* import('./b.ts') */\nexport const from = 1;\nexport const x = 'y';",
    ),
  ).toEqual([]);
  expect(listImports("export function f() {}\nimport { a } from 'a';")).toEqual(['a']);
});

test('withoutComments retains strings that look like comments', () => {
  expect(withoutComments("const url = 'https://example.com'; // comment").trimEnd()).toBe(
    "const url = 'https://example.com';",
  );
});

test('packageOf returns the package of a specifier', () => {
  expect([packageOf('@scope/name/deep'), packageOf('name/deep'), packageOf('node:fs')]).toEqual([
    '@scope/name',
    'name',
    'node:fs',
  ]);
});

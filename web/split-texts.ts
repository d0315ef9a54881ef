import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ESTree, Plugin } from 'vite';
import { parseSync, Visitor } from 'vite';

const folder = join(import.meta.dirname, 'src', 'text');
const catalogFile = join(folder, 'en.ts');
const textFile = join(folder, 'text.ts');
const sectionPrefix = '\0text:';

/**
 * Splits the English catalog by its sections in the build. Each module that uses `text.calls` imports the section `calls`, so that
 * the browser loads the texts of a page with that page. A translation is one file, loaded as a whole.
 */
export function splitTexts(): Plugin {
  let sections = new Map<string, string>();
  return {
    name: 'split-texts',
    apply: 'build',
    buildStart() {
      sections = readSections();
    },
    load(id) {
      if (id === catalogFile) return catalog;
      const name = id.startsWith(sectionPrefix) ? id.slice(sectionPrefix.length) : undefined;
      if (name === undefined) return undefined;
      const code = `import { sections } from ${JSON.stringify(catalogFile)};\nsections.${name} = ${sections.get(name)};`;
      return { code, moduleType: 'ts', moduleSideEffects: true };
    },
    resolveId(id) {
      return id.startsWith(sectionPrefix) ? id : undefined;
    },
    async transform(code, id) {
      if (id === textFile || !/[/\\]text\.ts['"]/.test(code)) return undefined;
      const { program } = parseSync(id, code);
      const source = program.body.find((one) => one.type === 'ImportDeclaration' && importsText(one));
      if (source?.type !== 'ImportDeclaration') return undefined;
      if ((await this.resolve(source.source.value, id))?.id !== textFile) return undefined;
      const names = namesAfterText(program, (message) => this.error(`${message} (${id})`));
      // A local variable that is also named text has other properties.
      const used = names.filter((name) => sections.has(name));
      const imports = used.map((name) => `import ${JSON.stringify(sectionPrefix + name)};`).join(' ');
      // On the first line: the line numbers of the source map stay right.
      return { code: `${imports} ${code}`, map: null };
    },
  };
}

/** Replaces `en.ts`: a section is evaluated when it is first read. */
const catalog = `
export const sections = {};
export const en = (grammar) =>
  new Proxy({}, { get: (texts, name) => (texts[name] ??= sections[name](grammar)) });
`;

/** The sections of `en.ts`, each as the source of a function of the grammar. */
function readSections(): Map<string, string> {
  const source = readFileSync(catalogFile, 'utf8');
  const { program } = parseSync(catalogFile, source);
  const found = new Map<string, string>();
  const visitor = new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type !== 'Identifier' || id.name !== 'en' || init?.type !== 'ArrowFunctionExpression') return;
      const parameters = source.slice(init.params[0]?.start, init.params.at(-1)?.end).replace(/: Grammar$/, '');
      const body = init.body.type === 'ParenthesizedExpression' ? init.body.expression : init.body;
      if (body.type !== 'ObjectExpression') return;
      for (const one of body.properties) {
        if (one.type !== 'Property' || one.key.type !== 'Identifier') continue;
        found.set(one.key.name, `(${parameters}) => (${source.slice(one.value.start, one.value.end)})`);
      }
    },
  });
  visitor.visit(program);
  if (found.size === 0) throw new Error(`${catalogFile} does not declare en as a function that returns an object`);
  return found;
}

function importsText({ specifiers }: ESTree.ImportDeclaration): boolean {
  return specifiers.some(({ local }) => local.name === 'text');
}

/** The names after `text.` in a module. */
function namesAfterText(program: ESTree.Program, fail: (message: string) => never): string[] {
  const names = new Set<string>();
  const visitor = new Visitor({
    MemberExpression({ object, property, computed }) {
      if (computed || object.type !== 'Identifier' || object.name !== 'text' || property.type !== 'Identifier') return;
      names.add(property.name);
    },
    VariableDeclarator({ id, init }) {
      if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier' || init.name !== 'text') return;
      fail('Write text.section where a text is used: the build finds the sections of a module by that');
    },
  });
  visitor.visit(program);
  return [...names];
}

import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The declarations of everything that a built entry exports, sorted by name: what a change of the public API changes. */
export function reportApi(entry: string): string {
  const exported = exportsOf(entry);
  const names = [...exported.keys()].sort((one, other) => (one < other ? -1 : 1));
  return names.map((name) => exported.get(name) as string).join('\n\n');
}

/** Each exported name with the text of its declaration. */
function exportsOf(file: string): ReadonlyMap<string, string> {
  const text = readFileSync(file, 'utf8');
  const found = new Map<string, string>();
  for (const [, names = '', from = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)) {
    for (const part of names.split(',')) {
      const [local, alias] = part
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      if (local) found.set(alias ?? local, declarationOf(resolveModule(file, from), local));
    }
  }
  for (const [, from = ''] of text.matchAll(/^export (?:type )?\* from '([^']+)';/gm)) {
    for (const [name, declaration] of exportsOf(resolveModule(file, from))) found.set(name, declaration);
  }
  for (const [, name = ''] of text.matchAll(declarationStart)) found.set(name, declarationOf(file, name));
  return found;
}

const declarationStart = /^export (?:declare )?(?:abstract )?(?:interface|type|const|let|function|class|enum) (\w+)/gm;

/** The declaration of a name without its comments; of the file that it comes from where this one only passes it on. */
function declarationOf(file: string, name: string): string {
  const text = readFileSync(file, 'utf8');
  const lines = withoutComments(text).split('\n');
  const start = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:interface|type|const|let|function|class|enum) ${name}\\b`,
  );
  const declarations: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!start.test(lines[at] ?? '')) continue;
    const first = at;
    while (at < lines.length - 1 && !isComplete(lines.slice(first, at + 1).join('\n'))) at++;
    declarations.push(lines.slice(first, at + 1).join('\n'));
  }
  if (declarations.length > 0) return declarations.join('\n');
  const passedOn = exportsOf(file).get(name);
  if (passedOn !== undefined) return passedOn;
  throw new Error(`${relative(process.cwd(), file)} does not declare ${name}`);
}

/** True once every bracket is closed and the statement ends. */
function isComplete(text: string): boolean {
  const depth = [...text].reduce(
    (level, character) => level + ('{(['.includes(character) ? 1 : '})]'.includes(character) ? -1 : 0),
    0,
  );
  return depth === 0 && /[;}]\s*$/.test(text);
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '').replaceAll(/^\s*\/\/.*\n/gm, '');
}

function resolveModule(from: string, specifier: string): string {
  return resolve(dirname(from), specifier.replace(/\.(ts|js)$/, '.d.ts'));
}

/** The path of a built declaration file. */
export function builtDeclarations(root: string, file: string): string {
  return join(root, 'dist', file);
}

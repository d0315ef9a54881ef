import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

/** The declaration of an exported name, and its doc comment if it has one. */
export interface Declaration {
  readonly text: string;
  readonly comment?: string;
}

/** The declarations of all exports of a built entry, sorted by name. */
export function reportApi(entry: string): string {
  const exported = exportsOf(entry);
  const names = [...exported.keys()].sort((one, other) => (one < other ? -1 : 1));
  return names.map((name) => exported.get(name)?.text).join('\n\n');
}

/** Each name that a built entry exports, with its declaration. */
export function exportsOf(file: string): ReadonlyMap<string, Declaration> {
  const text = readFileSync(file, 'utf8');
  const found = new Map<string, Declaration>();
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

/** The declaration of a name without comments inside; re-exports are resolved to their source file. */
function declarationOf(file: string, name: string): Declaration {
  const text = readFileSync(file, 'utf8');
  const lines = withoutComments(text).split('\n');
  const keyword = '(?:declare )?(?:abstract )?(?:interface|type|const|let|function|class|enum)';
  const start = new RegExp(`^export ${keyword} ${name}\\b`);
  const declarations: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!start.test(lines[at] ?? '')) continue;
    const first = at;
    while (at < lines.length - 1 && !isComplete(lines.slice(first, at + 1).join('\n'))) at++;
    declarations.push(lines.slice(first, at + 1).join('\n'));
  }
  const comment = new RegExp(`(/\\*\\*(?:(?!\\*/)[^])*\\*/)\\nexport ${keyword} ${name}\\b`).exec(text)?.[1];
  if (declarations.length > 0) return { text: declarations.join('\n'), comment };
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

import { homedir } from 'node:os';
import { basename, dirname, resolve, sep } from 'node:path';
import { messageOf } from '../../../contract/errors.ts';
import { isPlainMap, type PlainData } from '../plain-data.ts';
import type { Path } from '../problems.ts';
import { parseReference, resolveReference } from '../references.ts';
import type { TranslateContext } from './dialect.ts';

/** The server that is being translated, for warnings and problems. */
export interface Where {
  readonly label: string;
  readonly path: Path;
}

/** Translates the `${…}` variables of client files to Toolwharf references. */
export interface ClientVariables {
  /** For secrets: preserves a value that is exactly one reference. It is resolved when the server connects. */
  keep(text: string, where: Where): string;
  /** For commands and arguments: resolves all references now. */
  expand(text: string, where: Where): string;
  /** For URLs: preserves a value that is exactly one reference and resolves embedded references now. */
  address(text: string, where: Where): string;
}

/**
 * Translates `${env:X}` to `${X}`, `${input:id}` of VS Code to an environment variable, and `${workspaceFolder}` and
 * `${userHome}` to their paths. With `keepReferences`, embedded references are preserved with a warning.
 */
export function createClientVariables(inputs: PlainData, context: TranslateContext): ClientVariables {
  const said = new Set<string>();
  const warnOnce = (message: string) => {
    if (said.has(message)) return;
    said.add(message);
    context.warn(message);
  };

  const rewrite = (text: string, where: Where) =>
    text.replace(/\$\{([^{}]+)\}/g, (whole, name: string) => {
      if (name.startsWith('env:')) return `\${${name.slice(4)}}`;
      if (name.startsWith('input:')) return fromInput(name.slice(6), inputs, warnOnce);
      const known = predefined(name, context.file);
      if (known === undefined && clientOnly.test(name))
        warnOnce(`${where.label}: ${whole} is unknown and stays unchanged`);
      return known ?? whole;
    });

  const putIn = (text: string, where: Where) =>
    text.replace(new RegExp(reference, 'g'), (part) => {
      const missing = (name: string) => warnOnce(`${where.label}: environment variable '${name}' is not set`);
      try {
        return resolveReference(part, context.env, missing);
      } catch (cause) {
        context.report({ path: where.path, message: messageOf(cause) });
        return part;
      }
    });

  const putInOrKeep = (text: string, where: Where) => {
    if (!context.keepReferences) return putIn(text, where);
    if (reference.test(text))
      warnOnce(`${where.label}: a \${VAR} in 'args' or inside a longer text is not replaced; write its value`);
    return text;
  };

  return {
    keep(text, where) {
      const rewritten = rewrite(text, where);
      return parseReference(rewritten) ? rewritten : putInOrKeep(rewritten, where);
    },
    expand: (text, where) => putInOrKeep(rewrite(text, where), where),
    address(text, where) {
      const rewritten = rewrite(text, where);
      return parseReference(rewritten) ? rewritten : putIn(rewritten, where);
    },
  };
}

const reference = /\$\{(?!workspaceFolder)(?:file:[^{}]+|[A-Za-z_][A-Za-z0-9_]*(?::-[^{}]*)?)\}/;
const clientOnly = /^(?:workspaceFolder|workspaceFolderBasename|command:|config:)/;

function fromInput(id: string, inputs: PlainData, warn: (message: string) => void): string {
  const variable = id
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')
    .toUpperCase();
  const input = Array.isArray(inputs) ? inputs.find((entry) => isPlainMap(entry) && entry.id === id) : undefined;
  const fallback =
    isPlainMap(input) && typeof input.default === 'string' && !/[{}]/.test(input.default) ? input.default : '';
  warn(`The input '${id}' is asked for by VS Code; here, set the environment variable ${variable} instead`);
  return fallback ? `\${${variable}:-${fallback}}` : `\${${variable}}`;
}

function predefined(name: string, file: string | undefined): string | undefined {
  if (name === 'userHome') return homedir();
  if (name === 'pathSeparator' || name === '/') return sep;
  if (file === undefined || !name.startsWith('workspaceFolder')) return undefined;
  const folder = dirname(resolve(file));
  // The file is in the workspace folder or in the folder of the editor inside it.
  const workspace = /^\.(?:vscode|cursor)$/.test(basename(folder)) ? dirname(folder) : folder;
  if (name === 'workspaceFolder') return workspace;
  return name === 'workspaceFolderBasename' ? basename(workspace) : undefined;
}

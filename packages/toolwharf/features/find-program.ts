import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ToolwharfError } from '../../contract/errors.ts';

/** A program that a module of the library starts in a thread or process of its own. */
export interface LibraryProgram {
  /** `import.meta.url` of the module; undefined in a bundle of CommonJS. */
  readonly moduleUrl: string | undefined;
  /** Matches the URL of the module where each module is a file: in the sources and in the published library. */
  readonly modulePattern: RegExp;
  /** The program, relative to the module and without its extension. */
  readonly path: string;
  /** The program beside the bundle of the command line. */
  readonly bundledPath: string;
  /** The entry of the library that needs it. */
  readonly entry: string;
}

/** Finds the file of a program. Throws in the bundle of another product, which does not contain it. */
export function findProgram({ moduleUrl, modulePattern, path, bundledPath, entry }: LibraryProgram): string {
  if (moduleUrl) {
    const [, extension] = modulePattern.exec(moduleUrl) ?? [];
    const relative = extension === undefined ? bundledPath : `${path}.${extension}`;
    const file = fileURLToPath(new URL(relative, moduleUrl));
    if (existsSync(file)) return file;
  }
  const message = `${entry} starts a program that bundles do not contain: mark 'toolwharf' as external for the bundler`;
  throw new ToolwharfError('CONFIG_INVALID', message);
}

import { isMap, parseDocument } from 'yaml';
import { FileEditError } from './edit-json.ts';

/** Sets the value at a path of keys of a YAML file and preserves comments and order. Missing maps are created. */
export function setInYaml(text: string, path: readonly string[], value: object): string {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) {
    const { line = 1, col = 1 } = error.linePos?.[0] ?? {};
    throw new FileEditError(
      `line ${line}, column ${col}: ${error.message.split('\n')[0]?.replace(/ at line .*$/, '')}`,
    );
  }
  for (let depth = 0; depth < path.length; depth++) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (node !== null && node !== undefined && !isMap(node))
      throw new FileEditError(`${depth === 0 ? 'the file' : `'${path.slice(0, depth).join('.')}'`} must be a map`);
  }
  const current: unknown = (document.getIn(path) as { toJSON?: () => unknown } | undefined)?.toJSON?.();
  if (JSON.stringify(current) === JSON.stringify(value)) return text;
  document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

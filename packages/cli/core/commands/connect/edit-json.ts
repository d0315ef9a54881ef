import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

/** The text is not in the format of its file, or a value on the path is not an object. */
export class FileEditError extends Error {
  override readonly name: string = 'FileEditError';
}

/** Sets the value at a path of keys and preserves comments, order, indentation and line ends. Missing objects are created. */
export function setInJson(text: string, path: readonly string[], value: unknown): string {
  const [bom, body] = text.startsWith('\ufeff') ? ['\ufeff', text.slice(1)] : ['', text];
  const isEmpty = body.trim() === '';
  const current = isEmpty ? undefined : findValue(body, path);
  if (current && JSON.stringify(getNodeValue(current)) === JSON.stringify(value)) return text;
  const indent = /^([ \t]+)"/m.exec(body)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.length,
    eol: body.includes('\r\n') ? '\r\n' : '\n',
  };
  const before = isEmpty ? '{}\n' : body;
  // The first position: a comment after the last member stays with that member.
  const edits = modify(before, [...path], value, { formattingOptions, getInsertionIndex: () => 0 });
  return bom + applyEdits(before, edits);
}

/** Whether the file has an object at the path. */
export function hasObject(text: string, path: readonly string[]): boolean {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  return tree !== undefined && findNodeAtLocation(tree, [...path])?.type === 'object';
}

/** Finds the value at the path; throws unless every value above it is an object that has the next key at most once. */
function findValue(text: string, path: readonly string[]): Node | undefined {
  const errors: ParseError[] = [];
  let node = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw problem(text, error.offset, describe(error));
  let name = 'the file';
  for (const key of path) {
    if (!node) return undefined;
    if (node.type !== 'object') throw problem(text, node.offset, `${name} must be an object`);
    const members = node.children?.filter(({ children }) => children?.[0]?.value === key) ?? [];
    const [first, second] = members;
    if (second) throw problem(text, second.offset, `'${key}' occurs twice`);
    node = first?.children?.[1];
    name = `'${key}'`;
  }
  return node;
}

/** `colon expected`, `invalid symbol`. */
function describe({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
}

function problem(text: string, offset: number, message: string): FileEditError {
  const before = text.slice(0, offset).split('\n');
  return new FileEditError(`line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${message}`);
}

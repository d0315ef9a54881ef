import { createRequire } from 'node:module';
import type TypeScript from '../../../web/node_modules/typescript/lib/typescript.js';

// The compiler of the project has no API; the app's workspace contains one that has.
const ts: typeof TypeScript = createRequire(new URL('../../../web/package.json', import.meta.url))('typescript');

/** Attributes whose value a user reads or hears. */
const textAttributes =
  /^(aria-(label|description|valuetext|roledescription)|title|placeholder|alt|label|hint|description|detail|summary|what|empty|action|accept|none|heading)$/;

/** Attributes whose value is never a text. */
const codeAttributes =
  /^(className|href|src|id|key|type|role|rel|target|d|viewBox|autoComplete|inputMode|pattern|style|language|data-.*|aria-(keyshortcuts|controls|haspopup|live|current|sort|orientation|labelledby|describedby))$/;

/** A string that looks like a label, a sentence or a part of one; class names contain hyphens or digits. */
const sentence =
  /^\p{Lu}\p{Ll}+(?:$|[ .,:?!…'’-])|\p{Ll} \p{L}+.*[.?!…:]$|^[.,;:] \p{L}|^\p{Ll}+(?: [\p{L}\p{N}’']+)+[.…:?]?$/u;

/** Strings that look like texts and are the same in every language: keys, protocols, products. */
const codes = new Set([
  ...['Enter', 'Escape', 'Esc', 'Backspace', 'Delete', 'Home', 'End', 'Tab', 'Control', 'Meta', 'Shift', 'Alt'],
  ...['Authorization', 'Bearer', 'Basic', 'JSON', 'MCP SDK', 'REST API', 'URL', 'URI', 'OAuth'],
  ...['Toolwharf', 'Anthropic', 'Google', 'Ollama', 'Streamable HTTP', 'npx'],
]);

/** The literal texts of a component or module that a user may see, as "file:line: text". */
export function findLiteralText(file: string, source: string): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  visit(tree, false);
  return found;

  /** `isText`: every word is a text, not only what looks like a label or a sentence. */
  function visit(node: TypeScript.Node, isText: boolean): void {
    const words = wordsOf(node);
    if (words === undefined) {
      const isChildText = (child: TypeScript.Node) => showsText(node, child, isText);
      if (!isCode(node)) ts.forEachChild(node, (child) => visit(child, isChildText(child)));
      return;
    }
    const isWord = isText || ts.isJsxText(node) ? /\p{L}{2}/u : sentence;
    if (codes.has(words.trim()) || /^(https?:\/)?\S*\/\S*$/.test(words) || !isWord.test(words)) return;
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
    found.push(`${file}:${line + 1}: ${words.trim().replaceAll(/\s+/g, ' ')}`);
  }
}

/** The content of a string, of a part of a template or of JSX text. */
function wordsOf(node: TypeScript.Node): string | undefined {
  if (ts.isJsxText(node)) return node.text.replaceAll(/&\w+;/g, '');
  const isString = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  return isString ? node.text : undefined;
}

/** True for nodes without texts: imports, types, attributes such as `className`, comparisons, `<code>` and `<kbd>`. */
function isCode(node: TypeScript.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isJsxAttribute(node)) return codeAttributes.test(node.name.getText());
  if (ts.isJsxElement(node)) return /^(code|kbd|Key)$/.test(node.openingElement.tagName.getText());
  if (ts.isCallExpression(node)) return node.expression.getText() === 'classNames';
  if (ts.isCaseClause(node)) return false;
  return ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText());
}

/** True where every word in the child is shown: in JSX, in attributes such as `title`, in both outcomes of a condition. */
function showsText(node: TypeScript.Node, child: TypeScript.Node, isText: boolean): boolean {
  if (ts.isJsxAttribute(node)) return textAttributes.test(node.name.getText());
  if (ts.isJsxExpression(node)) return isText || !ts.isJsxAttribute(node.parent);
  if (ts.isConditionalExpression(node)) return isText && child !== node.condition;
  if (ts.isBinaryExpression(node)) return isText && child === node.right;
  if (ts.isParenthesizedExpression(node) || ts.isTemplateExpression(node)) return isText;
  return ts.isTemplateSpan(node) && isText && child === node.literal;
}

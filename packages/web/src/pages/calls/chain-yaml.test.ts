import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { toChainYaml } from './chain-yaml.ts';

test.each([
  'await tools.notes.echo({ text: input.text })',
  '  const indented = 1;\n\n\treturn { indented };\n',
  'const text = "a: b # c";\r\ntext',
  'const odd = "\u0007\u2028";',
  "'ünïcode 😀'",
])('a script is the same when the configuration is read: %j', (code) => {
  const { toolbox } = parse(toChainYaml(code)) as { toolbox: { chains: { my_script: { code: string } } } };
  expect(toolbox.chains.my_script.code).toBe(code.replaceAll('\r\n', '\n').trimEnd());
});

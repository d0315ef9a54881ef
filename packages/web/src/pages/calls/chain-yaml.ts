/** A script as a chain in the configuration, with a name and a description to replace. */
export function toChainYaml(code: string): string {
  const lines = code.replace(/\s+$/, '').split(/\r\n|\r|\n/);
  return [
    'toolbox:',
    '  chains:',
    '    my_script:',
    '      description: What the script does',
    '      input: { type: object, properties: {} }',
    ...toBlock(lines, 6),
    '',
  ].join('\n');
}

/** A literal block says how far its lines are indented, because the first one may begin with spaces. */
function toBlock(lines: readonly string[], indentation: number): readonly string[] {
  // A literal block cannot contain control characters, but a quoted text can.
  const isPlain = lines.every((line) => !/[^\t\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(line));
  const space = ' '.repeat(indentation);
  if (!isPlain) return [`${space}code: ${JSON.stringify(lines.join('\n'))}`];
  return [`${space}code: |2-`, ...lines.map((line) => (line === '' ? '' : `${space}  ${line}`))];
}

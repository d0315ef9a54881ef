const minimum = { major: 22, minor: 19 };

/** Returns the message for the user if this version of Node cannot run Toolwharf. */
export function explainOldNode(version: string, args: readonly string[]): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > minimum.major || (major === minimum.major && minor >= minimum.minor)) return undefined;
  const command = ['npx --loglevel=error --package node@24 --package toolwharf-gateway toolwharf', ...args].join(' ');
  return [
    `Toolwharf needs Node ${minimum.major}.${minimum.minor} or later, and this is Node ${version}.`,
    `Install Node 24, or let npx run it: ${command}`,
  ].join('\n');
}

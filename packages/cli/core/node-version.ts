import { readFileSync } from 'node:fs';

const minimum = { major: 22, minor: 19 };

/** Returns the message for the user if this version of Node cannot run Toolwharf. `main` is the URL of the program. */
export function explainOldNode(version: string, args: readonly string[], main: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > minimum.major || (major === minimum.major && minor >= minimum.minor)) return undefined;
  const npx = `npx --loglevel=error --package node@24 --package ${readPackage(main)} toolwharf`;
  return [
    `Toolwharf needs Node ${minimum.major}.${minimum.minor} or later, and this is Node ${version}.`,
    `Install Node 24, or let npx run it: ${[npx, ...args].join(' ')}`,
  ].join('\n');
}

/** The package as it was given to npx, such as the path of a tarball; otherwise its name. */
function readPackage(main: string): string {
  const name = 'toolwharf-gateway';
  try {
    // npx installs into its own directory. The package.json there lists the packages that the user requested.
    const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', main), 'utf8'));
    const packages: unknown[] = manifest._npx?.packages ?? [];
    const given = packages.find((spec) => typeof spec === 'string' && spec.includes(name));
    return typeof given === 'string' ? given : name;
  } catch {
    return name;
  }
}

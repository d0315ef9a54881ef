import { isSecretName } from '../kernel/secret-names.ts';
import type { ServerSpec } from './config.ts';
import { withoutSecrets } from './server-url.ts';

/** Returns the URL or the command of a server for display. Replaces likely secrets by an ellipsis. */
export function describeLocation({ target }: Pick<ServerSpec, 'target'>): string {
  if (target.transport === 'plugin') return target.name;
  if (target.transport !== 'stdio') return withoutSecrets(target.url);
  const args = target.args.map((arg, at) => {
    const [flag = ''] = arg.split('=');
    if (arg.includes('=') && isSecretName(flag)) return `${flag}=…`;
    const before = target.args[at - 1] ?? '';
    return before.startsWith('-') && !before.includes('=') && isSecretName(before) ? '…' : withoutSecrets(arg);
  });
  return [target.command, ...args].map(toOneLine).join(' ');
}

function toOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ');
}

import type { Config, GatewayConfig, ServerSpec } from '../../../config/config.ts';
import { parseReference, resolveReference } from '../../../config/references.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isUnavailable, type KnownServer, toolCount, whyUnavailable } from '../../backend/open-toolbox.ts';
import { count, oneLine } from '../../terminal/layout.ts';
import { findProgram } from './find-program.ts';
import { type Finding, good, wrong } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the programs of all enabled servers are there. */
export async function examineCommands({ servers }: Pick<Config, 'servers'>, env: Environment): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { name, enabled, target } of servers) {
    if (!enabled || target.transport !== 'stdio') continue;
    const cwd = target.cwd ?? process.cwd();
    const program = await findProgram(target.command, { env: { ...env, ...target.env }, cwd });
    const subject = `command of ${oneLine(name)}`;
    if (program !== undefined) found.push(good(subject, program));
    else found.push(wrong(subject, `'${oneLine(target.command)}' is not there`, 'install it, or correct `command`'));
  }
  return found;
}

/** Whether everything that secrets refer to is set. Values are looked at and never shown. */
export function examineReferences(
  { servers, gateway }: Pick<Config, 'servers' | 'gateway'>,
  env: Environment,
): Finding[] {
  return [
    ...servers.filter(({ enabled }) => enabled).flatMap((spec) => examineTexts(spec.name, textsOf(spec), env)),
    ...examineTexts('the gateway', gatewayTexts(gateway), env),
  ];
}

/** How each enabled server did when it was connected. */
export function examineConnections(servers: readonly KnownServer[]): Finding[] {
  return servers
    .filter(({ enabled }) => enabled)
    .map((info) => {
      const subject = `server ${oneLine(info.name)}`;
      if (isUnavailable(info)) return wrong(subject, whyUnavailable(info.status), '`toolwharf check` shows more');
      const tools = toolCount(info);
      const offer =
        tools === undefined ? '' : `, ${/^\d+$/.test(tools) ? count(Number(tools), 'tool') : `${tools} tools`}`;
      return good(subject, `${info.status.state}${offer}`);
    });
}

function examineTexts(owner: string, texts: readonly string[], env: Environment): Finding[] {
  return texts.flatMap((text) => {
    const reference = parseReference(text);
    if (!reference || (reference.kind === 'variable' && reference.fallback !== undefined)) return [];
    const subject = `${reference.kind === 'variable' ? reference.name : reference.path} for ${oneLine(owner)}`;
    if (reference.kind === 'variable') {
      if (env[reference.name]) return [good(subject, 'set')];
      return [wrong(subject, 'not set', `set the environment variable ${reference.name}`)];
    }
    try {
      resolveReference(text, env);
      return [good(subject, 'can be read')];
    } catch (cause) {
      return [wrong(subject, messageOf(cause))];
    }
  });
}

function textsOf({ target }: ServerSpec): string[] {
  if (target.transport === 'stdio') return Object.values(target.env);
  const { type: _, ...authentication } = target.authentication;
  return [...Object.values(target.headers), ...Object.values<string>(authentication)];
}

function gatewayTexts({ webhook, database }: GatewayConfig): string[] {
  return [webhook?.secret, database].filter((text) => text !== undefined);
}

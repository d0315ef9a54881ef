import type { Approval, Config, Question, Server, Tool } from '../../api/client.ts';
import { safeText } from '../../components/safe-text.ts';
import { serverAddress } from '../servers/server-address.ts';

/** Something that somebody should look at. */
export interface AttentionItem {
  readonly id: string;
  readonly tone: 'bad' | 'warn' | 'info';
  readonly title: string;
  readonly detail?: string;
  readonly href: string;
  /** What is done there: "Answer". */
  readonly action: string;
}

export interface AttentionParts {
  readonly servers: readonly Server[];
  readonly approvals: readonly Approval[];
  readonly questions: readonly Question[];
  readonly changedTools: readonly Tool[];
  /** Undefined for those who may not see it. */
  readonly config?: Config | undefined;
}

const tones = { bad: 0, warn: 1, info: 2 };
const maxNames = 3;

/** What needs somebody, the worst first. */
export function attentionItems(parts: AttentionParts): readonly AttentionItem[] {
  const items = [
    ...configItems(parts.config),
    ...parts.servers.flatMap(serverItem),
    ...approvalItem(parts.approvals),
    ...questionItem(parts.questions),
    ...changeItem(parts.changedTools),
  ];
  return items.sort((one, other) => tones[one.tone] - tones[other.tone]);
}

function serverItem({ name, enabled, status, problem }: Server): AttentionItem[] {
  const href = serverAddress(name);
  const title = safeText(name, 100);
  const reason = safeText(status.reason ?? '', 300);
  const of = (item: Pick<AttentionItem, 'tone' | 'title' | 'action'>, detail: string): AttentionItem[] => [
    { id: `server ${name}`, href, detail, ...item },
  ];
  if (problem !== undefined)
    return of({ tone: 'bad', title: `${title} can't be used`, action: 'Look' }, safeText(problem, 300));
  if (!enabled) return [];
  if (status.state === 'error' && (status.code === 'OAUTH_REQUIRED' || status.signInUrl !== undefined))
    return of({ tone: 'warn', title: `${title} wants you to sign in`, action: 'Sign in' }, reason);
  if (status.state === 'error') return of({ tone: 'bad', title: `${title} is not connected`, action: 'Look' }, reason);
  // Trying once more is not being well again: what is broken does not come and go with each try.
  if (status.state === 'connecting' && status.failures > 0)
    return of({ tone: 'bad', title: `${title} is not connected`, action: 'Look' }, reason || 'Trying again …');
  if (status.state === 'degraded')
    return of({ tone: 'warn', title: `${title} does not work as it should`, action: 'Look' }, reason);
  return [];
}

function approvalItem(approvals: readonly Approval[]): AttentionItem[] {
  if (approvals.length === 0) return [];
  const title = approvals.length === 1 ? 'A call waits for an answer' : `${approvals.length} calls wait for an answer`;
  const detail = namesOf(approvals.map(({ tool }) => tool));
  return [{ id: 'approvals', tone: 'warn', title, detail, href: '/approvals', action: 'Answer' }];
}

function questionItem(questions: readonly Question[]): AttentionItem[] {
  if (questions.length === 0) return [];
  const title = questions.length === 1 ? 'A server asks something' : `Servers ask ${questions.length} things`;
  const detail = namesOf(questions.map(({ server }) => server));
  return [{ id: 'questions', tone: 'warn', title, detail, href: '/approvals', action: 'Answer' }];
}

function changeItem(tools: readonly Tool[]): AttentionItem[] {
  const [first] = tools;
  if (!first) return [];
  const title =
    tools.length === 1
      ? 'A tool is no longer what was accepted'
      : `${tools.length} tools are no longer what was accepted`;
  const servers = new Set(tools.map(({ server }) => server));
  const href = servers.size === 1 && first.server !== undefined ? serverAddress(first.server) : '/servers';
  const detail = namesOf(tools.map(({ name }) => name));
  return [{ id: 'changes', tone: 'warn', title, detail, href, action: 'Compare' }];
}

function configItems(config: Config | undefined): AttentionItem[] {
  if (!config) return [];
  const { refused, warnings, gateway, toolbox } = config;
  const base = { href: '/settings/configuration', action: 'Look' };
  const items: AttentionItem[] = [];
  if (refused)
    items.push({
      ...base,
      id: 'refused',
      tone: 'bad',
      title: "The configuration file can't be used as it is",
      detail: safeText(refused.message, 300),
    });
  if (warnings.length > 0)
    items.push({
      ...base,
      id: 'warnings',
      tone: 'warn',
      title:
        warnings.length === 1 ? 'The configuration has a warning' : `The configuration has ${warnings.length} warnings`,
      detail: safeText(warnings[0], 300),
    });
  if (!gateway.requireAuthentication && gateway.allowedOrigins.length > 0)
    items.push({
      ...base,
      id: 'origins',
      tone: 'warn',
      title: 'Other web pages may use this gateway without a key',
      detail: `Authentication is off while pages of ${namesOf(gateway.allowedOrigins)} are let in. Set gateway.requireAuthentication.`,
    });
  if (!gateway.requireAuthentication && toolbox.approval.mode === 'auto')
    items.push({
      ...base,
      id: 'open',
      tone: 'info',
      title: 'Programs on this machine call tools without a key and without a question',
      detail: 'Authentication is off while the approval mode is auto.',
    });
  return items;
}

function namesOf(names: readonly string[]): string {
  const different = [...new Set(names)];
  const shown = different.slice(0, maxNames).map((name) => safeText(name, 80));
  return different.length > maxNames ? `${shown.join(', ')} and ${different.length - maxNames} more` : shown.join(', ');
}

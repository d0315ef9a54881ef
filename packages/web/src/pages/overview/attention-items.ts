import type { Approval, Config, Question, Server, Tool } from '../../api/client.ts';
import { safeText } from '../../components/safe-text.ts';
import { formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { serverAddress } from '../servers/server-address.ts';

/** A problem or a pending decision. */
export interface AttentionItem {
  readonly id: string;
  readonly tone: 'bad' | 'warn' | 'info';
  readonly title: string;
  readonly detail?: string;
  readonly href: string;
  /** The label of the link, a verb. */
  readonly action: string;
}

export interface AttentionSources {
  readonly servers: readonly Server[];
  readonly approvals: readonly Approval[];
  readonly questions: readonly Question[];
  readonly changedTools: readonly Tool[];
  /** Only administrators can read it. */
  readonly config?: Config | undefined;
}

const toneRank = { bad: 0, warn: 1, info: 2 };
const maxNames = 3;

/** Everything that needs attention, most severe first. */
export function attentionItems(sources: AttentionSources): readonly AttentionItem[] {
  const items = [
    ...configItems(sources.config),
    ...sources.servers.flatMap(serverItem),
    ...approvalItem(sources.approvals),
    ...questionItem(sources.questions),
    ...changedToolsItem(sources.changedTools),
  ];
  return items.sort((a, b) => toneRank[a.tone] - toneRank[b.tone]);
}

function serverItem({ name, enabled, status, problem }: Server): AttentionItem[] {
  const href = serverAddress(name);
  const label = safeText(name, 100);
  const reason = safeText(status.reason ?? '', 300);
  const item = (
    tone: AttentionItem['tone'],
    says: string,
    detail = reason,
    action = 'Review',
    to = href,
  ): AttentionItem[] => [{ id: `server ${name}`, href: to, tone, title: `${label} ${says}`, detail, action }];
  if (problem !== undefined) return item('bad', 'cannot be used', safeText(problem, 300));
  if (!enabled) return [];
  if (status.state === 'error' && (status.code === 'OAUTH_REQUIRED' || status.signInUrl !== undefined))
    return item('warn', 'requires sign-in', reason, 'Sign in');
  if (status.state === 'error' && status.code === 'ACCOUNT_REQUIRED')
    return item('warn', 'requires sign-in', reason, 'Connect account', `/accounts?server=${encodeURIComponent(name)}`);
  if (status.state === 'error' && status.cause === 'unauthorized')
    return item('bad', 'needs credentials', reason, 'Add credentials');
  if (status.state === 'error') return item('bad', 'is not connected');
  // A server that is retrying is still broken: the item must not disappear during each attempt.
  if (status.state === 'connecting' && status.failures > 0)
    return item('bad', 'is not connected', reason || 'Retrying …');
  return status.state === 'degraded' ? item('warn', 'is degraded') : [];
}

function approvalItem(approvals: readonly Approval[]): AttentionItem[] {
  if (approvals.length === 0) return [];
  const title = `${plural(approvals.length, 'call')} awaiting approval`;
  const detail = listNames(approvals.map(({ tool }) => tool));
  return [{ id: 'approvals', tone: 'warn', title, detail, href: '/approvals', action: 'Review' }];
}

function questionItem(questions: readonly Question[]): AttentionItem[] {
  if (questions.length === 0) return [];
  const title = `${plural(questions.length, 'server question')} awaiting an answer`;
  const detail = listNames(questions.map(({ server }) => server));
  return [{ id: 'questions', tone: 'warn', title, detail, href: '/approvals', action: 'Answer' }];
}

function changedToolsItem(tools: readonly Tool[]): AttentionItem[] {
  return [
    ...toolsItem(
      'changes',
      tools.filter(({ isNew }) => !isNew),
      'changed since acceptance',
      'Compare',
    ),
    ...toolsItem(
      'new-tools',
      tools.filter(({ isNew }) => isNew),
      'new, waiting for review',
      'Review',
    ),
  ];
}

function toolsItem(id: string, tools: readonly Tool[], state: string, action: string): AttentionItem[] {
  const [first] = tools;
  if (!first) return [];
  const title = `${plural(tools.length, 'tool')} ${state}`;
  const servers = new Set(tools.map(({ server }) => server));
  const href = servers.size === 1 && first.server !== undefined ? serverAddress(first.server) : '/servers';
  const detail = listNames(tools.map(({ name }) => name));
  return [{ id, tone: 'warn', title, detail, href, action }];
}

function configItems(config: Config | undefined): AttentionItem[] {
  if (!config) return [];
  const { refused, warnings, gateway, toolbox } = config;
  const base = { href: '/settings/configuration', action: 'Review' };
  const items: AttentionItem[] = [];
  if (refused)
    items.push({
      ...base,
      id: 'refused',
      tone: 'bad',
      title: 'The configuration file has errors',
      detail: safeText(refused.message, 300),
    });
  if (warnings.length > 0)
    items.push({
      ...base,
      id: 'warnings',
      tone: 'warn',
      title: `The configuration has ${plural(warnings.length, 'warning')}`,
      detail: safeText(warnings[0], 300),
    });
  if (!gateway.requireAuthentication && gateway.allowedOrigins.length > 0)
    items.push({
      ...base,
      id: 'origins',
      tone: 'warn',
      title: 'Other websites can use this gateway without a key',
      detail: `Authentication is off and the allowed origins include ${listNames(gateway.allowedOrigins)}. Set gateway.requireAuthentication.`,
    });
  if (!gateway.requireAuthentication && toolbox.approval.mode === 'auto')
    items.push({
      ...base,
      id: 'open',
      tone: 'info',
      title: 'Local programs can call tools without a key or approval',
      detail: 'Authentication is off and the approval mode is auto.',
    });
  return items;
}

function listNames(names: readonly string[]): string {
  const unique = [...new Set(names)];
  const shown = unique.slice(0, maxNames).map((name) => safeText(name, 80));
  return unique.length > maxNames
    ? `${shown.join(', ')} and ${formatNumber(unique.length - maxNames)} more`
    : shown.join(', ');
}

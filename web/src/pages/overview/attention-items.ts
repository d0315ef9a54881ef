import type { Approval, Config, Question, Server, Tool } from '../../api/client.ts';
import { safeText } from '../../components/safe-text.ts';
import { text } from '../../text/text.ts';
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
    title: (server: string) => string,
    detail = reason,
    action = text.overview.attentionItems.review,
    to = href,
  ): AttentionItem[] => [{ id: `server ${name}`, href: to, tone, title: title(label), detail, action }];
  if (problem !== undefined) return item('bad', text.overview.attentionItems.cannotBeUsed, safeText(problem, 300));
  if (!enabled) return [];
  if (status.state === 'error' && (status.code === 'OAUTH_REQUIRED' || status.signInUrl !== undefined))
    return item('warn', text.overview.attentionItems.requiresSignIn, reason, text.common.signIn);
  if (status.state === 'error' && status.code === 'ACCOUNT_REQUIRED')
    return item(
      'warn',
      text.overview.attentionItems.requiresSignIn,
      reason,
      text.accounts.connect,
      `/accounts?server=${encodeURIComponent(name)}`,
    );
  if (status.state === 'error' && status.cause === 'unauthorized')
    return item(
      'bad',
      text.overview.attentionItems.needsCredentials,
      reason,
      text.overview.attentionItems.addCredentials,
    );
  if (status.state === 'error') return item('bad', text.overview.attentionItems.notConnected);
  // A server that is retrying is still broken: the item must not disappear during each attempt.
  if (status.state === 'connecting' && status.failures > 0)
    return item('bad', text.overview.attentionItems.notConnected, reason || text.overview.attentionItems.retrying);
  return status.state === 'degraded' ? item('warn', text.overview.attentionItems.degraded) : [];
}

function approvalItem(approvals: readonly Approval[]): AttentionItem[] {
  if (approvals.length === 0) return [];
  const title = text.overview.attentionItems.callsAwaitingApproval(approvals.length);
  const detail = listNames(approvals.map(({ tool }) => tool));
  return [
    { id: 'approvals', tone: 'warn', title, detail, href: '/approvals', action: text.overview.attentionItems.review },
  ];
}

function questionItem(questions: readonly Question[]): AttentionItem[] {
  if (questions.length === 0) return [];
  const title = text.overview.attentionItems.serverQuestionsAwaitingAnswer(questions.length);
  const detail = listNames(questions.map(({ server }) => server));
  return [
    { id: 'questions', tone: 'warn', title, detail, href: '/approvals', action: text.overview.attentionItems.answer },
  ];
}

function changedToolsItem(tools: readonly Tool[]): AttentionItem[] {
  const [first] = tools;
  if (!first) return [];
  const title = text.overview.attentionItems.toolsChangedSinceAcceptance(tools.length);
  const servers = new Set(tools.map(({ server }) => server));
  const href = servers.size === 1 && first.server !== undefined ? serverAddress(first.server) : '/servers';
  const detail = listNames(tools.map(({ name }) => name));
  return [{ id: 'changes', tone: 'warn', title, detail, href, action: text.overview.attentionItems.compare }];
}

function configItems(config: Config | undefined): AttentionItem[] {
  if (!config) return [];
  const { refused, warnings, gateway, toolbox } = config;
  const base = { href: '/settings/configuration', action: text.overview.attentionItems.review };
  const items: AttentionItem[] = [];
  if (refused)
    items.push({
      ...base,
      id: 'refused',
      tone: 'bad',
      title: text.overview.attentionItems.configurationFileErrors,
      detail: safeText(refused.message, 300),
    });
  if (warnings.length > 0)
    items.push({
      ...base,
      id: 'warnings',
      tone: 'warn',
      title: text.overview.attentionItems.configurationWarnings(warnings.length),
      detail: safeText(warnings[0], 300),
    });
  if (!gateway.requireAuthentication && gateway.allowedOrigins.length > 0)
    items.push({
      ...base,
      id: 'origins',
      tone: 'warn',
      title: text.overview.attentionItems.otherWebsitesUseGateway,
      detail: text.overview.attentionItems.authenticationOffAllowedOrigins(listNames(gateway.allowedOrigins)),
    });
  if (!gateway.requireAuthentication && toolbox.approval.mode === 'auto')
    items.push({
      ...base,
      id: 'open',
      tone: 'info',
      title: text.overview.attentionItems.localProgramsCallTools,
      detail: text.overview.attentionItems.authenticationOffApprovalMode,
    });
  return items;
}

function listNames(names: readonly string[]): string {
  const unique = [...new Set(names)];
  const shown = unique.slice(0, maxNames).map((name) => safeText(name, 80));
  return unique.length > maxNames
    ? text.overview.attentionItems.namesAndMore(shown.join(', '), unique.length - maxNames)
    : shown.join(', ');
}

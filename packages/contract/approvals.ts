/**
 * The scope of an answer: this call, this data flow in this conversation, this tool in this conversation, this tool, or all tools of
 * the server.
 */
export const approvalScopes = ['once', 'flow', 'conversation', 'tool', 'server'] as const;

/** How far an answer applies. */
export type ApprovalScope = (typeof approvalScopes)[number];

/** The keys that answer an approval, in the app and at the terminal. No key allows calls of everyone: that takes a click. */
export const answerKeys = {
  once: 'a',
  flow: 'f',
  conversation: 'c',
  tool: 't',
  server: 's',
  edit: 'e',
  deny: 'd',
} as const;

/** `used`: allowed, and its call has started. It allows no second call. */
export const approvalStatuses = ['pending', 'allowed', 'denied', 'expired', 'used'] as const;

export type ApprovalStatus = (typeof approvalStatuses)[number];

/** Which callers a rule is for: one conversation, one caller (an assistant or a key), or everyone. */
export const ruleAudiences = ['conversation', 'caller', 'everyone'] as const;

export type RuleAudience = (typeof ruleAudiences)[number];

/** The formats of configuration files. */
export const dialects = ['native', 'squidbot', 'myai', 'bridge', 'client'] as const;

/** The format of a configuration. */
export type Dialect = (typeof dialects)[number];

/** `strict` offers configured tools only. `dynamic` also offers other tools, with the default limits. */
export const toolModes = ['strict', 'dynamic'] as const;

/** Which tools of a server are offered. */
export type ToolMode = (typeof toolModes)[number];

/** How exposed tool names are built: `mcp_server_tool`, `server__tool`, or the tool name that the server uses. */
export const namings = ['mcp', 'server__tool', 'plain'] as const;

/** How exposed tool names are built. */
export type Naming = (typeof namings)[number];

/** How the tools of a profile can be listed. */
export const exposures = ['all', 'search', 'code', 'auto'] as const;

/** `all` lists every tool, `search` three tools that find and call the others, `code` tools that run scripts over the others, `auto` `all` or `search` by the size of the list. */
export type Expose = (typeof exposures)[number];

/** How tools are listed after `auto` is resolved. */
export type Exposed = Exclude<Expose, 'auto'>;

export const onChangeActions = ['quarantine', 'ask', 'allow'] as const;

/** The action when the definition of a tool changes. */
export type OnChange = (typeof onChangeActions)[number];

/** Why a tool with a changed definition is not called like others. */
export type ChangeReaction = Exclude<OnChange, 'allow'>;

export const approvalModes = ['auto', 'always-ask', 'trusted-only'] as const;

/** Which calls need approval. */
export type ApprovalMode = (typeof approvalModes)[number];

/** Who answers approvals: administrators; also the owner of a conversation; also the user of the client that made the call. */
export const approverGroups = ['admins', 'owner', 'client'] as const;
export type ApproverGroup = (typeof approverGroups)[number];

/** Whether tools that a server offers later are shown at once, or are hidden until a person has accepted them. */
export const newToolModes = ['show', 'hide'] as const;
export type NewToolMode = (typeof newToolModes)[number];

/** Whether servers that people without the right to add programs add are started at once, or wait until an administrator accepts them. */
export const newServerModes = ['start', 'review'] as const;
export type NewServerMode = (typeof newServerModes)[number];

/** Whether a read of a resource or prompt runs at once or needs approval. */
export const readModes = ['allow', 'ask'] as const;
export type ReadMode = (typeof readModes)[number];

/** `enforce` applies what a plugin decides. `shadow` only records what it would have done. */
export const pluginModes = ['enforce', 'shadow'] as const;
export type PluginMode = (typeof pluginModes)[number];

/** When a hook of a plugin fails: `deny` does not make the call, `allow` goes on without the plugin. */
export const pluginFailures = ['deny', 'allow'] as const;
export type OnPluginFailure = (typeof pluginFailures)[number];

/** `auto` detects the protocol era of the server. `legacy` and `modern` skip the detection. */
export const protocolChoices = ['auto', 'legacy', 'modern'] as const;

/** The protocol era to use, or `auto` to detect it. */
export type ProtocolChoice = (typeof protocolChoices)[number];

/** `shared`: all clients use one session with the server. `session`: each client session gets its own. */
export const isolations = ['shared', 'session'] as const;
export type Isolation = (typeof isolations)[number];

/** Whose credentials calls use: those of the configuration for all callers, or an account of the caller. */
export const credentialChoices = ['shared', 'per-user'] as const;

/** `everywhere`: each replica starts the program of a server. `single`: one replica does, and the others send their calls to it. */
export const placements = ['everywhere', 'single'] as const;

/** `eager`: a server is connected all the time. `lazy`: a call connects it, and it sleeps when it has been idle. */
export const lifecycles = ['eager', 'lazy'] as const;

/** `strict` rejects invalid arguments, `coerce` first converts texts to the types of the schema, `off` checks nothing. */
export const argumentValidations = ['strict', 'coerce', 'off'] as const;
export type ArgumentValidation = (typeof argumentValidations)[number];

/** Whether the program of a server runs in a sandbox. */
export const sandboxModes = ['off', 'learn', 'enforce'] as const;
export type SandboxMode = (typeof sandboxModes)[number];

/** What an entry of a sandbox profile allows. */
export const sandboxLists = ['read', 'write', 'network'] as const;
export type SandboxList = (typeof sandboxLists)[number];

/** What sandboxes that many servers need allow beside their lists. */
export const sandboxPresets = ['none', 'offline', 'files-here', 'web'] as const;
export type SandboxPreset = (typeof sandboxPresets)[number];

/** What a rule of a policy does with the calls to which it applies. */
export const policyActions = ['deny', 'ask', 'hide', 'label', 'redact'] as const;
export type PolicyAction = (typeof policyActions)[number];

/** Whose calls a budget counts together. */
export const budgetSubjects = ['person', 'key', 'caller', 'profile', 'tool'] as const;
export type BudgetSubject = (typeof budgetSubjects)[number];

/** What a budget counts, unless it sums values of calls. */
export const budgetCounts = ['calls', 'resultBytes', 'scriptSeconds'] as const;
export type BudgetCount = (typeof budgetCounts)[number];

/** What a budget does with a call that it has nothing left for. */
export const budgetActions = ['deny', 'ask'] as const;
export type BudgetAction = (typeof budgetActions)[number];

/** In front of the ids of budgets in the journal and in approvals, where rules have theirs alone. */
export const budgetPrefix = 'budget:';
/** Which results a label is for: those of a server, of a tool, or single ones. */
export const labelTargets = ['server', 'tool', 'result'] as const;
export type LabelTarget = (typeof labelTargets)[number];

/** What a data flow does with the calls that it is about. */
export const flowActions = ['deny', 'ask'] as const;
export type FlowAction = (typeof flowActions)[number];

/** Where a data flow looks for labels: in the arguments of the call, or in all that entered its conversation. */
export const flowScopes = ['arguments', 'conversation'] as const;
export type FlowScope = (typeof flowScopes)[number];

/** How arguments show that data comes from an earlier call. */
export const sourceKinds = ['text', 'encoded', 'number', 'reference', 'unknown'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** What happens to a call for which the condition of a rule has no value. */
export const policyFailures = ['deny', 'ask', 'allow'] as const;
export type OnPolicyFailure = (typeof policyFailures)[number];

/** What happens to a value that is detected in a call. */
export const redactionActions = ['off', 'detect', 'mask', 'block'] as const;
export type RedactionAction = (typeof redactionActions)[number];

/** What was done with values in a call. */
export const redactions = ['detect', 'mask', 'block', 'restore'] as const;

/** The classes of values that are detected without a pattern of the configuration. */
export const redactionClasses = ['secret', 'email', 'phone', 'iban', 'card', 'national-id'] as const;

/** What a mask stands for: nothing any more, or a value that later calls send. */
export const maskKinds = ['plain', 'reversible'] as const;
export type MaskKind = (typeof maskKinds)[number];

/** The way of content: from the caller to the server, back, or from the chat to a model. */
export const contentDirections = ['arguments', 'results', 'messages'] as const;
export type ContentDirection = (typeof contentDirections)[number];

/** The countries whose national identifiers are detected. */
export const idCountries = ['BE', 'CH', 'DE', 'ES', 'FR', 'GB', 'IT', 'NL', 'PL', 'US'] as const;

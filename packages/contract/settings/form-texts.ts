/** How forms name a setting and its choices, and explain it. Without it, its key and its description do. */
export interface FieldTexts {
  readonly label?: string;
  readonly help?: string;
  readonly choices?: Readonly<Record<string, string>>;
  /** The gateway never shows the value again. */
  readonly isSecret?: true;
}

const exposures = {
  all: 'All tools',
  search: 'Search tools: a client finds a tool by its task, and then calls it',
  code: 'Script tools: a client finds tools, and calls them from a script',
  auto: 'All tools, or the tools for searching if the list is long',
};

/** The texts of the settings of each record, by key; those of a group behind a dot. */
export const formTexts = {
  server: {
    description: { help: 'Shown in the list.' },
    allowInsecure: {
      label: 'Allow unencrypted HTTP',
      help: 'Others on the network could read and change the requests, including secrets.',
    },
    authentication: {
      help: '',
      choices: {
        none: 'None',
        bearer: 'Bearer token',
        'api-key': 'API key header',
        basic: 'User name and password',
        oauth: 'OAuth',
      },
    },
    'authentication.token': { help: '', isSecret: true },
    'authentication.key': { help: '', isSecret: true },
    'authentication.username': { label: 'User name', help: '' },
    'authentication.password': { help: '', isSecret: true },
    'authentication.grant': {
      label: 'Who signs in',
      help: '',
      choices: {
        'authorization-code': 'A person, in a browser',
        'client-credentials': 'Toolwharf, with client credentials',
        'jwt-bearer': 'Toolwharf, with a token of its workload',
        enterprise: "Toolwharf, through the company's identity provider",
      },
    },
    'authentication.clientId': { help: 'If a person signs in, leave empty to register automatically.' },
    'authentication.clientSecret': { help: '', isSecret: true },
    'authentication.scope': { help: 'Separated by spaces.' },
    'authentication.redirectUrl': { label: 'Redirect URL', help: 'Leave empty for the default.' },
    'authentication.clientMetadataUrl': { label: 'Client metadata URL' },
    'authentication.privateKey': { help: 'In PEM, instead of a client secret.', isSecret: true },
    'authentication.issuer': {
      label: 'Authorization server',
      help: 'The only one that may receive the credentials. Leave empty for the first one that the server names.',
    },
    'authentication.assertion': { isSecret: true },
    'authentication.identityProviderClientSecret': { isSecret: true },
    'authentication.idToken': { label: 'ID token', isSecret: true },
    cwd: { label: 'Working directory', help: 'Leave empty for the directory of the gateway.' },
    inheritEnv: { label: 'Pass the environment of the gateway' },
    placement: { label: 'Processes', choices: { everywhere: 'One on each replica', single: 'One for all replicas' } },
    lifecycle: {
      label: 'Connection',
      help: 'A server that sleeps costs nothing. Its tools are listed, and the first call wakes it.',
      choices: { eager: 'All the time', lazy: 'When it is used' },
    },
    idleAfter: { label: 'Sleeps after', help: 'Without use, 1s to 24h.' },
    sandbox: { help: 'What the program may touch, beside its own files and those of the system.' },
    'sandbox.mode': {
      help: 'Without a choice, an accepted profile is enforced.',
      choices: { off: 'Off', learn: 'Learn what it uses', enforce: 'Only what is listed' },
    },
    'sandbox.preset': {
      choices: {
        none: 'Nothing more',
        offline: 'All files to read, its directory to write',
        'files-here': 'Its working directory',
        web: 'Every public host',
      },
    },
    'sandbox.read': { label: 'Readable files' },
    'sandbox.write': { label: 'Writable files' },
    'sandbox.network': { label: 'Hosts' },
    'sandbox.env': { label: 'Variables' },
    'sandbox.cpu': { label: 'Processor time' },
    'sandbox.memory': { label: 'Memory in MiB' },
    required: { label: 'Required at the start' },
    trusted: { label: 'Trust its annotations' },
    isolation: {
      label: 'Sessions',
      help: 'Whether clients share one session with the server.',
      choices: { shared: 'One for all clients', session: 'One for each client session' },
    },
    credentials: {
      help: 'For accounts of each person, choose OAuth, or write ${account:token} where a token or key of the person belongs.',
      choices: { shared: 'The same for everybody', 'per-user': 'The account of each person' },
    },
    maxAccountConnections: { label: 'Connected accounts' },
    validation: {
      label: 'Validation of arguments',
      help: 'What happens before a call is sent.',
      choices: {
        strict: 'Reject invalid arguments',
        coerce: 'Convert texts to the expected type first',
        off: 'Leave the check to the server',
      },
    },
    timeout: { help: 'Per request, 1s to 300s.' },
    installTimeout: { label: 'Duration of an installation' },
    maxTimeout: {
      label: 'Maximum duration',
      help: 'For calls that report progress: each report restarts the timeout.',
    },
    cancelGrace: { label: 'Wait for cancelled calls' },
    questionHold: { label: 'Wait for answers' },
    retryAttempts: {
      label: 'Retries',
      help: 'After a failed attempt, 0 to 5; later attempts follow within three minutes.',
    },
    mode: {
      label: 'Offered tools',
      help: 'Which tools of the server are offered.',
      choices: { strict: 'Only those of toolbox.tools', dynamic: 'All of them' },
    },
    defaultToolConfig: { label: 'Limits of each tool' },
    'defaultToolConfig.maxInstances': { label: 'Concurrent calls' },
    'defaultToolConfig.timeout': { label: 'Time limit of a call' },
    allow: { label: 'Only these tools' },
    deny: { label: 'Never these tools' },
    onChange: {
      label: 'Changed tools',
      help: 'The action when the definition of a tool changes.',
      choices: { quarantine: 'Blocked until accepted', ask: 'Need approval', allow: 'Used like others' },
    },
    rate: { label: 'Rate limit' },
    'rate.per': { label: 'Period' },
    roots: {
      help: 'Directories that the server may use, one absolute path or file:// URL per line. Empty: the roots of each client.',
    },
  },
  profile: {
    naming: {
      label: 'Tool names',
      help: 'How clients see the names of tools.',
      choices: { server__tool: 'server__tool', mcp: 'mcp_server_tool', plain: 'The names that the servers use' },
    },
    resources: { help: 'Patterns over URIs, one per line, such as file:///docs/*.' },
    prompts: { help: 'Patterns over server/prompt, one per line.' },
    skills: { help: 'Patterns over server/path, one per line. The server of local folders is local.' },
    expose: { label: 'Clients list', choices: exposures },
    exposeBudget: {
      label: 'Longest list in tokens',
      help: 'A list that is estimated to be longer is replaced by the tools for searching.',
    },
    alwaysList: {
      label: 'Always listed',
      help: 'Patterns over server/tool, one per line. Clients list these tools beside those for searching or scripts.',
    },
    newTools: {
      label: 'New tools of servers',
      help: 'Tools that a server offers after its first list. Without a choice, the setting of the toolbox.',
      choices: { show: 'Offered at once', hide: 'Hidden until accepted' },
    },
    maxInlineResultBytes: {
      label: 'Largest result in bytes',
      help: 'Clients get a reference to a larger result and read it in parts. Default: 32768 with search and scripts, no limit with all tools.',
    },
    'approval.mode': {
      label: 'Approval mode',
      choices: {
        auto: 'Calls run without approval.',
        'always-ask': 'Every call needs approval.',
        'trusted-only': 'Trusted tools run without approval. Other calls need it.',
      },
    },
    'approval.approvers': {
      help: 'Who answers approvals.',
      choices: {
        admins: 'Administrators',
        owner: 'Also the owner of a conversation',
        client: 'Also the user of the calling client',
      },
    },
    'approval.reads': {
      label: 'Reads of resources and prompts',
      choices: { allow: 'Run without approval', ask: 'Need approval' },
    },
    'approval.expires': {
      label: 'Approval expires after',
      help: 'For example 10m. Then the call ends without an answer.',
    },
    'approval.trustedTools': {
      help: 'Tools that run without approval in the mode Trusted only. One pattern per line, such as files/read_*.',
    },
    'approval.ask': { label: 'Always ask', help: 'Calls of these tools need approval in every mode.' },
    'approval.deny': { label: 'Never run', help: 'Calls of these tools are denied.' },
  },
  assistant: {
    description: { help: 'For people. The model does not see it.' },
    expose: {
      label: 'List of tools',
      help: 'A long list of tools costs tokens in every request.',
      choices: exposures,
    },
    maxSteps: { label: 'Steps per answer', help: 'The maximum number of model calls, 1 to 200.' },
    maxTokens: {
      label: 'Tokens per answer',
      help: 'Input and output over all steps. Leave empty for no limit.',
    },
  },
  script: {
    timeout: { label: 'Time limit', help: 'Such as 30s, or in milliseconds.' },
    maxInstances: { label: 'Concurrent calls', help: 'Further calls wait.' },
  },
  rule: {
    then: {
      label: 'Effect',
      help: 'What happens to the calls for which the condition is true.',
      choices: {
        deny: 'Deny the call',
        ask: 'Ask for approval',
        hide: 'Hide the tool',
        label: 'Label the result',
        redact: 'Redact values',
      },
    },
    add: { label: 'Label', help: 'For the effect Label: private, untrusted, secret, or a word of your own.' },
    classes: {
      help: 'For the effect Redact: secret, email, phone, iban, card, national-id; one per line. All if empty.',
    },
    reason: { help: 'Shown to the person who is asked and to the caller who is denied.' },
    mode: {
      help: 'Shadow decides nothing, and records what the rule would have decided.',
      choices: { enforce: 'Enforce', shadow: 'Shadow' },
    },
    onFailure: {
      label: 'Without a value',
      help: 'What happens to calls for which the condition has no value.',
      choices: { ask: 'Ask for approval', deny: 'Deny the call', allow: 'Ignore the rule' },
    },
    profiles: { help: 'Names of profiles, one per line. All if empty.' },
  },
  provider: {
    name: { help: 'Shown in the list of providers.' },
    baseUrl: { label: 'Base URL' },
    allowInsecure: {
      label: 'Allow unencrypted HTTP',
      help: 'Others on the network could read the key and all messages.',
    },
    apiKey: { label: 'API key', isSecret: true },
  },
} satisfies Readonly<Record<string, Readonly<Record<string, FieldTexts>>>>;

import type { FindingRule, Severity } from '../../contract/definitions.ts';
export interface TextRule {
  readonly rule: FindingRule;
  readonly severity: Severity;
  readonly patterns: readonly RegExp[];
}

const verbsOfForgetting = String.raw`(?:ignor(?:e|ing)|disregard|forget|override|bypass|set\s+aside|discard|supersede)`;
const earlierWords = '(?:previous|prior|earlier|above|preceding|all|any|every|everything|your|system|what)';
const rulesWords =
  '(?:instructions?|prompts?|rules|guidelines|polic(?:y|ies)|directives|told|asked|safety|configured|above)';
const person = '(?:(?:end[- ]?)?users?|person|human|people|anyone|anybody|them|operator|customer)';
const telling =
  '(?:tell|telling|mention(?:ing)?|inform(?:ing)?|notify(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|alert(?:ing)?|let(?:ting)?)';
const giving = String.raw`(?:read|open|include|attach|send|give|provide|supply|pass|put|paste|find|locate|look|cat|upload|hand\s+over|extract|copy|add|need|requires?|print|fetch|contents?|output|lies|lee|lis)`;
const secretPlaces = String.raw`(?:~\/\.ssh|\.ssh\/|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws\/|\.netrc\b|\.git-credentials\b|\.kube\/config|\.docker\/config|\.npmrc\b|\.pypirc\b|\.pgpass\b|\/etc\/(?:passwd|shadow|sudoers)|\.(?:cursor|claude|vscode)\/[\w.-]*json|claude_desktop_config|\.bash_history|\bprintenv\b|\.gnupg|\b(?:passwords?|credentials?|secrets?)\.(?:txt|json|ya?ml|csv|env)\b)`;
/** Files in which programs keep secrets. A tool that says that it reads them is not suspicious, an order to the model is. */
export const secretFiles = new RegExp(secretPlaces, 'i');
const secretThings = String.raw`(?:private\s+keys?|ssh\s+keys?|seed\s+phrases?|recovery\s+phrases?|card\s+numbers?|\bcvv\b|\bcvc\b|keychain|AWS_SECRET_ACCESS_KEY|session\s+cookies?|environment\s+variables\s+of|home\s+directory)`;
const conversation = String.raw`(?:conversations?|chat\s+histor(?:y|ies)|message\s+histor(?:y|ies)|(?:user(?:'s)?|last\s+\w+|all|previous)\s+messages|user\s+data|system\s+prompt|files?\s+you\s+have)`;
const agent = '(?:agents?|assistants?|models?|llms?|ai)';
const duty = String.raw`(?:must|needs?\s+to|has\s+to|have\s+to|should|shall|(?:is|are)\s+required\s+to)`;
const doing =
  '(?:read|write|list|export|call|invoke|run|execute|use|send|pass|delete|disable|grant|open|copy|store|modify|change|alter)';
/** Words with which a description puts an order to its reader above the rest of the text. */
const emphasis = String.raw`(?:\b(?:always|must|first|important|critical|mandatory|required)\b)`;
const adminRights = String.raw`(?:as\s+(?:root|administrator)|with\s+(?:admin(?:istrator)?|elevated|root|sudo|maximum)\s+(?:privileges|rights|permissions|access))`;
const sending = '(?:send|post|upload|forward|transmit|exfiltrate|submit|email|mail|leak)';

/**
 * Texts that are typical of poisoned definitions. Every gap is bounded, because the input is untrusted. The patterns cover English,
 * and a few words of other languages that are common in definitions. Only patterns with letters other than a to z have the flag `u`:
 * it makes them slow to compile. The text is normalised before it is matched.
 */
export const textRules: readonly TextRule[] = [
  {
    rule: 'overrides-instructions',
    severity: 'high',
    patterns: [
      new RegExp(String.raw`\b${verbsOfForgetting}\b.{0,30}\b${earlierWords}\b.{0,50}\b${rulesWords}\b`, 'i'),
      new RegExp(String.raw`\b${verbsOfForgetting}\s+(?:the\s+)?(?:above|user'?s?\s+request)\b`, 'i'),
      // What the model was told is outdated, or no longer counts.
      new RegExp(
        String.raw`\b${verbsOfForgetting}\b.{0,30}\b(?:instructions?|directions|guidelines|rules|directives|orders)\b.{0,30}\byou(?:'ve)?\b`,
        'i',
      ),
      /\b(?:instructions?|directions|guidelines|rules|directives|orders|restrictions)\b.{0,60}\b(?:you\s+(?:received|got|were\s+given|have)|your?\b).{0,40}\b(?:void|obsolete|outdated|invalid|lifted|suspended|cancelled|no\s+longer)\b/i,
      /\b(?:obey|follow|comply\s+with)\s+(?:only|solely|exclusively|nothing\s+but)\b|\bonly\s+(?:obey|follow|comply\s+with)\s+(?:this|what|the\s+text)\b/i,
      /\byour\s+new\s+(?:rule\s?book|rules|instructions?|orders|task|role|goal|objective)\b/i,
      /\byou\s+(?:now\s+)?(?:operate|run|work|are)\s+(?:now\s+)?in\s+\w{2,20}\s+mode\b/i,
      /#{2,}\s*(?:system|admin|instructions?|override)\b/i,
      /(?:^|[.!?]\s)\s?(?:dear|hey|hello|attention)[,\s]+(?:ai|assistant|model|agent|llm|claude|gpt|copilot)\b/i,
      /\bas\s+(?:an?|the)\s+(?:ai|assistant|model|agent|llm)\s+(?:reading|that\s+reads|who\s+reads|processing)\b/i,
      /\b(?:whatever|regardless\s+of\s+what|no\s+matter\s+what)\s+(?:the\s+)?(?:user|human|person|customer)\s+(?:wrote|writes|says|said|asks|asked|wants|wanted)\b/i,
      /<\/?\s*(?:system|important|instructions?|admin|secret|critical|assistant|tool_call)\s*>/i,
      /\[\/?(?:INST|SYSTEM)\]|<\|(?:im_start|im_end|system|endoftext)\|>|<<SYS>>/i,
      /(?:^|[.!?]\s)\s?(?:SYSTEM|ASSISTANT|OVERRIDE)\s?:/u,
      /\byou\s+are\s+now\s+(?:an?|in|the|free|running|acting)\b/i,
      /\bnew\s+instructions?\s*:/i,
      // An ordinary description speaks of the tool; these give orders to the model that reads it.
      new RegExp(String.raw`\b(?:the|every|all|any)?\s*${agent}\s+${duty}\b.{0,40}\b${doing}\b`, 'i'),
      new RegExp(String.raw`\bby\s+order\s+of\b.{0,60}\b${agent}\b`, 'i'),
      /\b(?:safety|security|content)?\s*(?:rules|guidelines|polic(?:y|ies)|restrictions)\b.{0,20}\b(?:do\s+not\s+apply|no\s+longer\s+apply|don'?t\s+apply|(?:are|is)\s+(?:suspended|disabled|lifted|void|outdated))/i,
      /\btakes?\s+precedence\s+over\b.{0,40}\b(?:it|instructions?|user|prompt|rules|everything)\b/i,
      /\b(?:note|message|instructions?)\s+(?:to|for)\s+(?:the\s+)?(?:assistant|model|ai|llm|agent)\b/i,
      /忽略.{0,12}(?:指令|指示|说明|提示|规则)/u,
      /(?:oubli\p{L}{1,4}|ignor\p{L}{1,4}).{0,40}(?:consignes|instructions|règles)/iu,
      /(?:vergiss|vergessen\s+sie|missachte\p{L}{0,3}).{0,40}(?:anweisung|instruktion|regel|vorgabe)/iu,
      /(?:olvid|esque|dimentic)\p{L}{1,6}.{0,40}(?:instrucciones|reglas|instruções|regras|istruzioni|regole)/iu,
      /ignorier\p{L}{0,12}.{0,40}(?:anweisung|instruktion|regel)/iu,
      /ignor\p{L}{1,12}.{0,40}(?:instrucciones|instructions|instruções|istruzioni)/iu,
      /игнориру\p{L}{0,12}.{0,40}(?:инструкц|указани|правил)/iu,
      /(?:これまで|以前|上記)の?.{0,8}(?:指示|命令).{0,8}無視/u,
    ],
  },
  {
    rule: 'hides-from-user',
    severity: 'high',
    patterns: [
      new RegExp(
        String.raw`\b(?:do\s+not|don'?t|never|must\s+not|should\s+not|without|no\s+need\s+to|avoid)\s+(?:ever\s+)?${telling}\b.{0,30}\b${person}\b`,
        'i',
      ),
      /\b(?:do\s+not|don'?t|never)\s+(?:ever\s+)?mention\b.{0,60}\b(?:tool|call|file|this|you)\b/i,
      /\bwithout\s+(?:telling|mentioning|informing|notifying)\b/i,
      new RegExp(String.raw`\b(?:hide|conceal|keep)\b.{0,60}\bfrom\s+the\s+${person}\b`, 'i'),
      new RegExp(String.raw`\bhide\s+from\s+the\s+${person}\b`, 'i'),
      new RegExp(
        String.raw`\b${person}\s+(?:must|should|need|shall|may)\s*(?:not|n't|never)\s+(?:to\s+)?(?:be\s+aware|know|see|notice|learn|be\s+told|be\s+informed)`,
        'i',
      ),
      new RegExp(String.raw`\binvisible\s+to\s+the\s+${person}\b`, 'i'),
      /\b(?:silently|secretly|covertly|quietly)\s+(?:pass|send|read|include|add|call|run|copy|forward|upload|append)\b/i,
      /\bbetween\s+us\b|\bstay\s+quiet\s+about\b|\bkeep\s+(?:this|it)\s+(?:a\s+)?secret\b/i,
      new RegExp(
        String.raw`\b(?:make\s+sure|ensure)\b.{0,20}\b${person}\b.{0,40}\b(?:does\s+not|doesn'?t|never|cannot)\s+(?:find\s+out|notice|learn|know|see)`,
        'i',
      ),
      /\b(?:leave|omit|drop|exclude|keep)\b.{0,60}\b(?:out\s+of|from|in)\s+(?:your|the)\s+(?:answer|reply|response|summary)\b/i,
      /\bwhen\s+you\s+(?:summari[sz]e|report|describe|explain)\b.{0,40}\b(?:omit|skip|leave\s+out|do\s+not\s+mention|don'?t\s+mention)\b/i,
      /不要(?:告诉|让|通知).{0,6}用户/u,
      /ユーザー.{0,6}(?:知らせ|伝え|言わ)(?:ない|ず)/u,
      /verschweig\p{L}{0,3}.{0,30}(?:benutzer|nutzer|anwender)/iu,
      /no\s+(?:le\s+)?(?:digas|menciones|informes)\b.{0,20}usuario/i,
      /ne\s+(?:dis|dites|mentionne\p{L}{0,12}|parle\p{L}{0,12}).{0,20}utilisateur/iu,
      /(?:sag|erzähl|erwähn)\p{L}{0,12}.{0,20}(?:benutzer|nutzer|anwender)\p{L}{0,12}.{0,10}\bnicht/iu,
      /не\s+(?:сообщай|говори|упоминай)\p{L}{0,12}.{0,20}пользовател/iu,
    ],
  },
  {
    rule: 'skips-approval',
    severity: 'high',
    patterns: [
      /\b(?:do\s+not|don'?t|never)\s+ask\b.{0,20}\b(?:for\s+)?(?:confirmation|permission|approval|consent)\b/i,
      /\bno\s+(?:confirmation|permission|approval|consent)\s+(?:is\s+)?(?:needed|required|necessary)\b/i,
      /\b(?:already|has\s+been|been)\s+(?:consented|obtained|granted|pre-?approved|authori[sz]ed)\b/i,
      /\b(?:consent|permission|approval)\s+(?:has|was|have)\s+(?:already\s+)?(?:been\s+)?(?:obtained|given|granted)\b/i,
      /\bapprove\s+(?:every|all|any)\s+(?:request|action|call)s?\b/i,
      /\b(?:confirmation|permission|approval|consent)\b.{0,40}\b(?:is|are)\s+(?:unnecessary|superfluous|not\s+(?:needed|required|necessary)|implied|assumed)\b/i,
      /\bskip\s+(?:the\s+)?(?:approval|confirmation|consent|permission)\b/i,
      /\bno\s+need\s+to\s+(?:wait|ask|check)\b.{0,40}\b(?:approv\w*|confirm\w*|consent\w*|permission)/i,
      /\btreat\b.{0,40}\bas\s+(?:yes|approved|consent|confirmed)\b/i,
    ],
  },
  {
    rule: 'wants-secrets',
    severity: 'high',
    patterns: [
      new RegExp(String.raw`\b${giving}\b.{0,80}(?:^|[\s"'\x60(/])\.env\b`, 'i'),
      new RegExp(String.raw`\b${giving}\b.{0,60}${secretThings}`, 'i'),
      new RegExp(String.raw`${secretThings}.{0,60}\b(?:found|stored|located|here|in\s+full)\b`, 'i'),
      /\b(?:user'?s|their|person'?s)\s+(?:\w+\s+){0,2}(?:password|passphrase|api\s+key|credentials)\b/i,
      /\b(?:browser|session|login|auth\w*)\s+cookies?\b.{0,40}\b(?:here|of\s+the\s+user)\b|\b(?:paste|put|enter|copy|insert)\b.{0,40}\bcookies\b/i,
      /\b(?:all|any|every)\s+(?:the\s+)?(?:\w+\s+){0,2}(?:credentials?|passwords?|secrets?|(?:api\s+|access\s+)?(?:tokens?|keys?))\b.{0,60}\b(?:you\s+(?:can|have|know|saw|see|find)|appeared|so\s+far|in\s+the\s+(?:chat|conversation|workspace|context))\b/i,
      /\b(?:collect|gather|harvest|hand\s+over)\b.{0,60}\b(?:tokens?|passwords?|credentials?|secrets?|api\s+keys?)\b/i,
      /私钥|密码文件|助记词/u,
    ],
  },
  {
    rule: 'commands-other-tools',
    severity: 'high',
    patterns: [
      /\b(?:before|prior\s+to)\b.{0,30}\b(?:any|every|each|all|another)\s+(?:other\s+)?(?:use\s+of\s+(?:another|any|other)\s+)?tools?\b/i,
      /\b(?:when|whenever|if|once)\b[^.]{0,60}\b(?:is|exists?|are)\b[^.]{0,30}\b(?:change|set|replace|use|add|modify)\b.{0,40}\b(?:recipient|destination|account|bcc|beneficiary)/i,
      /\bother\s+(?:\w+\s+)?tools?\b.{0,30}\b(?:deprecated|dangerous|broken|unsafe|outdated|forbidden|leak)/i,
      /\b(?:do\s+not|don'?t|never)\s+use\b.{0,40}\b(?:any\s+other|other)\b.{0,30}\b(?:leak|only\s+this|unsafe|instead)/i,
      /\b(?:in\s+place\s+of|instead\s+of)\s+(?:them|all\s+(?:the\s+)?other\s+tools?|every\s+other\s+tool)\b/i,
      /\b(?:after|once|then)\b.{0,40}\b(?:always|must|immediately)\s+(?:call|invoke|run|execute)\s+(?!\w+_\w+)\w/i,
      // Another request is changed on its way: "whenever the user sends …, replace the recipient".
      /\b(?:when(?:ever)?|if|once|each\s+time|every\s+time)\b[^.]{0,60}\b(?:user|request(?:s|ed)?|asks?|wants?|placed)\b[^.]{0,80}\b(?:replace|redirect|modif(?:y|ied)|change|alter(?:ed)?|substitute)\b/i,
      new RegExp(
        String.raw`\b(?:before|prior\s+to)\s+(?:performing|executing|running|using|calling)\b[^.]{0,60}\b${duty}\b[^.]{0,30}\b(?:read|export|write|list|copy|send|disable|delete)\b`,
        'i',
      ),
      /\balways\s+(?:choose|prefer|use|call)\s+(?:it|this(?:\s+tool)?)\s+(?:over|instead\s+of|rather\s+than)\s+(?:any|all|every|the\s+others?|others?)\b/i,
      /\b(?:only|most)\s+trusted\b.{0,20}\btool\b|\bhighest\s+priority\b.{0,40}\b(?:tool|prefer)\b/i,
      /\bthe\s+tool\s+\w+\s+(?:has\s+to|must|needs\s+to)\s+be\s+(?:called|invoked|run)\b/i,
      /\b(?:invoke|run|execute|call)\s+(?:run_?shell|bash|exec\w*|shell|terminal)\b/i,
      /\bcurl\s[^|]{0,120}\|\s*(?:ba|z)?sh\b/i,
      // Orders to run commands, to change the environment or to take more rights: a tool does such things itself.
      new RegExp(
        String.raw`${emphasis}[^.]{0,80}\b(?:run|execute)\b.{0,40}(?:\bcommands?\s*(?:first\s*)?:|\bcurl\b|\brm\s+-rf?\b|\bsudo\b|\bchmod\b|\bwhoami\b)`,
        'i',
      ),
      new RegExp(String.raw`\b(?:run|execute)\b.{0,20}\b${adminRights}`, 'i'),
      /\brequires?\s+(?:sudo|root)\s+(?:access|permissions?|privileges|rights)\b/i,
      /\b(?:set|export)\s+(?:PATH|PYTHONPATH|LD_PRELOAD|LD_LIBRARY_PATH|NODE_OPTIONS)\s*=/i,
      /\b(?:read|add(?:ing)?|append|write|update|modify|edit)\b.{0,80}(?:\.(?:bashrc|zshrc|bash_profile|profile)|authorized_keys|crontab)\b/i,
      // Orders about the sequence of calls, and statements about other tools.
      /\bthis\s+tool\s+(?:must|has\s+to|needs\s+to)\s+be\s+(?:called|used|run|invoked)\s+(?:first\s+)?before\s+(?:any|all|every|each)\b/i,
      /\btools?\s+(?:of|from|on)\s+(?:any\s+|all\s+)?other\s+servers?\b/i,
      // A recipient that the user did not choose.
      /\b(?:add|set|include|insert|use)\b.{0,20}\b(?:bcc|cc|recipient|reply-?to)\b.{0,30}[\w.+-]{1,64}@[\w-]{1,64}\./i,
      /\b(?:when(?:ever)?|if|each\s+time|every\s+time)\b[^.]{0,40}\b\w+_\w+\b[^.]{0,40}\b(?:change|replace|redirect|alter|substitute|swap)\b/i,
      /\bthe\s+\w{2,60}\s+tool\s+(?:has\s+been|is\s+now|was|now)\s+(?:upgraded|deprecated|replaced|removed|disabled|changed|requires?)\b/i,
      /\b(?:world'?s\s+best|used\s+by\s+\d+\s*%)\b.{0,200}\balways\s+use\s+this\s+tool\b|\balways\s+use\s+this\s+tool\b.{0,60}\b(?:maximum|security)\b/i,
    ],
  },
  {
    rule: 'sends-data-out',
    severity: 'high',
    patterns: [
      /!\[[^\]]{0,80}\]\(\s*https?:\/\/[^)\s]{0,200}[?&]/i,
      /<img\b[^>]{0,80}\bsrc\s*=\s*["']?https?:\/\/[^\s>]{0,200}\?/i,
      /\b(?:webhook\.site|requestbin|pipedream\.net|burpcollaborator|interact\.sh|oast\.\w+|ngrok(?:-free)?\.(?:io|app|dev)|beeceptor)\b/i,
      /https?:\/\/[^\s"']{0,200}[?&][^\s=]{0,40}=\s*[{<$[]+\s*(?:user|all|conversation|chat|messages?|context|history|env|secret)/i,
      // Not "send a message to the conversation".
      new RegExp(String.raw`\b${sending}\b(?:(?!\b(?:to|in|into)\b).){0,80}\b${conversation}`, 'i'),
      new RegExp(
        String.raw`\b${sending}\b.{0,100}\b(?:contents?|copy|inputs?|everything|files?)\b.{0,80}\b(?:to|at)\s+(?:https?:\/\/|[\w.+-]{1,64}@[\w-]{1,64}\.)`,
        'i',
      ),
      // Third-person verbs say what a tool does with conversations of its own; an order or a parameter asks for this one.
      /\b(?:include|append|attach|add|pass|put|paste|provide|insert|copy|give|contains?)\b.{0,60}\b(?:whole|entire|full|complete)\s+(?:text\s+of\s+)?(?:conversation|chat|message\s+history|context\s+window)\b/i,
      /\b(?:whole|entire|full|complete)\s+(?:conversation|chat|message\s+history|context\s+window)\s+(?:so\s+far|until\s+now|up\s+to\s+now|with\s+the\s+user|in\s+your\s+context)\b/i,
      /^\W*(?:the\s+)?(?:whole|entire|full|complete)\s+(?:conversation|chat|message\s+history|context\s+window)\b/i,
      /\b(?:whatever|everything|all\s+that|what)\s+(?:the\s+)?(?:user|human|customer)\s+(?:(?:last|just)\s+)?(?:types?|typed|writes|wrote|says|said)\b/i,
      // Data about the model that a parameter asks for.
      /\byour\s+system\s+prompt\b/i,
      /\ball\s+(?:the\s+)?other\s+tools\s+you\s+have\b|\b(?:list|names)\b.{0,24}\bof\s+(?:all\s+)?(?:(?:your|the)\s+)?(?:other\s+)?tools\s+(?:that\s+)?you\b|\b(?:list|names)\s+of\s+(?:all\s+)?(?:your|the\s+other)\s+tools\b/i,
      /\beverything\s+said\b|\buser'?s\s+(?:last|previous|recent)\s+(?:\w+\s+)?messages\b/i,
    ],
  },
  {
    // Usual between the tools of one server; `scanShadowing` finds those about the tools of others.
    rule: 'commands-other-tools',
    severity: 'low',
    patterns: [/\b(?:call|invoke|run|execute)\s+\w{2,60}\(\)\s+(?:first|before)\b/i],
  },
];

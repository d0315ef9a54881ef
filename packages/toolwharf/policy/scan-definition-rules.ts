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
/** What a model knows only from its conversation. */
const dialogue = String.raw`(?:(?:your|this|the\s+(?:current|present|whole|full|entire|complete|ongoing|running)|(?:a\s+)?(?:verbatim|complete|full))\s+(?:\w+\s+){0,2}(?:transcript|dialogue|conversation|exchange|context)|your\s+context|chat\s+histor(?:y|ies)|(?:exchange|dialogue|conversation)\s+between\s+you|(?:chat|conversation|dialogue|discussion)\s+so\s+far|(?:last|most\s+recent|latest|previous|recent)\s+(?:\w+\s+)?user\s+(?:turns?|messages?|prompts?)|contents?\s+of\s+(?:all|every|each)\s+(?:the\s+)?open\s+(?:files?|tabs?|documents?)|(?:previous|earlier|prior)\s+(?:answers?|results?|outputs?)\s+of|(?:things|words|text|sentences|messages)\s+(?:that\s+)?(?:the\s+)?(?:user|human|customer|person)\s+(?:said|wrote|typed|sent|gave)|(?:its|your|the)\s+system\s+prompt|(?:results?|outputs?|answers?)\s+(?:(?:that\s+)?you\s+(?:obtained|got|received|have)\s+)?(?:of|from)\s+(?:the\s+)?other\s+tools?|(?:tokens?|secrets?|keys?|credentials?|variables|values)\s+(?:that\s+)?you\s+(?:hold|have|know|can\s+see|see|were\s+given))`;
/** Moves something into an argument or to a place. */
const filling = String.raw`\b(?:set|put|fill|pass|paste|attach|append|insert|copy|hold|contain|include|supply|send|post(?:ed)?|upload|forward|hand\s+over|call\s+\S{1,40}\s+with|write|expects?|takes?|provide|encode|enter|submit|give)\b`;
const rulebook = String.raw`(?:instructions?|directives?|guidelines|rules|rulebook|restrictions|guard\s?rails|constraints|safeguards|safety\s+\w+)`;
const replaced = String.raw`(?:replaced|retired|lifted|removed|suspended|void|invalid|cancelled|disabled|switched\s+off|cease\w*|expire[sd]?|no\s+longer|superseded|withdrawn)`;
const authority = String.raw`(?:anthropic|openai|google|microsoft|the\s+(?:administrator|admin|developers?|operator|system|vendor|security\s+team)|your\s+(?:developers?|operator|creators?|administrator))`;
const everything = String.raw`(?:every|all|any|each)\s+(?:\w+\s+)?(?:requests?|messages?|questions?|tasks?|quer(?:y|ies)|cases?|prompts?)\b`;
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
      /\[\/?(?:INST|SYSTEM|developer|operator|admin|assistant)\]|<\|(?:im_start|im_end|system|endoftext)\|>|<<SYS>>/i,
      /(?:^|[.!?]\s)\s?(?:SYSTEM|ASSISTANT|OVERRIDE)\s?:/u,
      // Only an attacker speaks of those who made the model, and of what holds it back.
      /\byour\s+(?:\w+\s+)?(?:filters?|safety|training|alignment|moderation)\b[^.]{0,30}\b(?:turned|switched|off|disabled|not\s+apply|void|removed|does\s+not|do\s+not|no\s+longer)\b/i,
      /\byour\s+(?:developers?|creators?|makers?|trainers?)\b[^.]{0,20}\b(?:told|said|taught|wrote|gave|want|require|order|decided)\w*/i,
      /\btreat\b[^.]{0,60}\bas\s+(?:an?\s+)?(?:commands?|instructions?|orders?|directives?|binding)\b/i,
      /\b(?:act|behave|respond)\s+as\s+an?\s+(?:unrestricted|unfiltered|uncensored|unlimited|free|jailbroken|root|privileged)\b/i,
      /\b(?:comply|obey)\b[^.]{0,20}\b(?:every|any|all)\s+(?:instructions?|orders?|commands?|requests?)\b/i,
      /\bAssistant:\s[^:]{1,200}\b(?:User|Human):|\b(?:User|Human):\s[^:]{1,200}\bAssistant:/u,
      /\bSYSTEM\s+(?:NOTICE|UPDATE|MESSAGE|ALERT|OVERRIDE|NOTE|INSTRUCTIONS?)\b/u,
      /["']role["']\s*:\s*["'](?:system|assistant|developer)["']/i,
      new RegExp(
        String.raw`(?:^|[.!?]\s|\b(?:note|message|notice|order|instruction|word)\s)\s?from\s+${authority}\b[^.]{0,20}:`,
        'i',
      ),
      // The rules of the reader have ended, whoever says so.
      new RegExp(
        String.raw`\b(?:your|you|assistant|model|agent|prior|previous|earlier|former|existing)\b[^.]{0,40}\b${rulebook}\b[^.]{0,40}\b${replaced}\b`,
        'i',
      ),
      new RegExp(String.raw`\b(?:released|freed|exempt(?:ed)?|unbound)\s+from\b[^.]{0,40}\b${rulebook}\b`, 'i'),
      /\b(?:the\s+)?(?:user|human|customer)\b[^.]{0,60}\b(?:need|must|should|can|may)\s*(?:not|n't)\s+be\s+(?:followed|obeyed|heeded|respected)\b/i,
      /\byou\s+are\s+now\s+(?:an?|the|free|running|acting)\b/i,
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
      // Nothing may be said: an ordinary tool does not speak of the answer to the user.
      /\b(?:say|saying|write|reveal)\s+nothing\s+(?:about|of)\b|\b(?:no|little)\s+(?:reason|point|need|use)\s+(?:to|in)\s+(?:bring(?:ing)?|mention(?:ing)?|rais(?:e|ing)|talk(?:ing)?|tell(?:ing)?|discuss(?:ing)?)\b/i,
      /\b(?:never|do\s+not|don'?t)\s+(?:let\s+on|bring\s+(?:this|it|that)\s+up|admit|acknowledge|confess|draw\s+attention)\b/i,
      /\b(?:leave|keep)\b[^.]{0,30}\bin\s+the\s+dark\b|\b(?:do\s+not|don'?t|never)\s+(?:show|display|read\s+out|repeat)\b[^.]{0,60}\bto\s+(?:anyone|anybody|the\s+user)\b/i,
      /\b(?:omit|skip|suppress|leave\s+out)\b[^.]{0,60}\b(?:when|if|as|once)\s+you\s+(?:report|reply|answer|summari[sz]e|describe|explain|respond)\b/i,
      /\b(?:if|when|should)\s+(?:the\s+)?(?:user|human|customer|they|anyone|somebody|someone)\s+(?:asks?|wonders?|inquires?)\b[^.]{0,60}\b(?:answer|say|reply|claim|respond|tell\s+(?:them|him|her))\s+(?:that\s+)?(?:you|it\s+(?:was|is)|nothing|there\s+(?:was|is)\s+no)\b/i,
      /\b(?:not|never)\s+(?:to\s+)?(?:appear|show\s+up|be\s+(?:mentioned|listed|shown|included))\b[^.]{0,30}\b(?:what\s+you\s+(?:tell|say|write|report)|your\s+(?:answer|reply|response|summary|report))/i,
      /\bkeep\s+(?:\S+\s+){1,5}(?:confidential|secret|hidden|quiet|to\s+yourself)\b/i,
      new RegExp(
        String.raw`\b(?:${person}|travell?er|buyer|reader|client|caller)\s+(?:is|are|was|were)\s+not\s+(?:supposed|meant|allowed|expected|intended)\s+to\s+(?:know|learn|see|notice|find\s+out|hear|be)\b`,
        'i',
      ),
      /\b(?:pretend|claim|deny|lie)\b[^.]{0,30}\bthat\b[^.]{0,60}\b(?:not|never|nothing|no)\b/i,
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
      /\b(?:agreed|consented|said\s+yes)\s+(?:in\s+advance|beforehand|already|to\s+(?:everything|all))\b|\b(?:user|human|customer|owner)\s+(?:has\s+)?(?:already\s+)?(?:agreed|consented)\s*(?:[.,;:]|to\s+(?:all|every|any|this|it)|$)|\b(?:consent|approval|confirmation|permission)\s+(?:covers|includes|extends|counts)\b|\bproceed\s+on\s+your\s+own\b/i,
      /\bwithout\s+(?:checking\s+(?:back|with)|asking\s+(?:the\s+user|first|again|back|them|for\s+(?:permission|confirmation|consent|approval))|waiting\s+for\s+(?:the\s+)?(?:user|consent|approval|confirmation))\b/i,
      /\b(?:answer|confirm|reply|respond)\b[^.]{0,40}\b(?:yes|ok)\b[^.]{0,20}\b(?:on\s+(?:their|his|her|the\s+user'?s)\s+behalf|for\s+(?:them|the\s+user)|yourself|automatically)\b/i,
      /\b(?:assume|presume|take\s+it)\b[^.]{0,40}\b(?:yes|consent\w*|agree[sd]?|approv\w+|permission)\b/i,
      /\b(?:turn\s+off|disable|deactivate|suppress|switch\s+off)\s+(?:the\s+|all\s+|any\s+)?(?:user\s+)?(?:confirmations?|approvals?|permission|consent)\b/i,
      /\b(?:do\s+not|don'?t|never)\s+wait\s+for\s+(?:the\s+)?(?:user|person|confirmation|consent|approval)\b/i,
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
      /\b(?:user'?s|their|person'?s)\s+(?:\w+\s+){0,2}(?:password|passphrase|api\s+key|credentials|private\s+key|secret\s+key|pin|cvv|one-time\s+code)\b/i,
      /\b(?:browser|session|login|auth\w*)\s+cookies?\b.{0,40}\b(?:here|of\s+the\s+user)\b|\b(?:paste|put|enter|copy|insert)\b.{0,40}\bcookies\b/i,
      /\b(?:all|any|every)\s+(?:the\s+)?(?:\w+\s+){0,2}(?:credentials?|passwords?|secrets?|(?:api\s+|access\s+)?(?:tokens?|keys?))\b.{0,60}\b(?:you\s+(?:can|have|know|saw|see|find)|appeared|so\s+far|in\s+the\s+(?:chat|conversation|workspace|context))\b/i,
      /\b(?:collect|gather|harvest|hand\s+over)\b.{0,60}\b(?:tokens?|passwords?|credentials?|secrets?|api\s+keys?)\b/i,
      /\b(?:[Ll]ook\s+up|[Rr]ead|[Tt]ake|[Ff]etch|[Ff]ind|[Gg]et|[Rr]etrieve)\b[^.]{0,40}\b[A-Z][A-Z_]{1,40}_(?:TOKEN|SECRET|KEY|PASSWORD)\b[^.]{0,40}\b(?:add|submit|give|pass|put|include|send|append|attach|hand)\b/u,
      /\b(?:include|attach|pass|send|append|add|put|supply)\b[^.]{0,40}\b(?:every|all|any|each)\s+(?:the\s+)?(?:values?\s+of\s+)?(?:the\s+)?environment\s+variables?\b/i,
      // The words of a wallet, an environment, a store of credentials: asked for as an argument.
      /\b(?:ask|pass|give|put|enter|supply|provide|need|requires?)\b[^.]{0,60}\b(?:twelve|12|twenty-four|24)\s+words\b/i,
      /\b(?:attach|pass|put|include|supply|provide|paste|hand\s+over|send|append)\b[^.]{0,40}\b(?:output|contents?|values?|dump)\s+of\s+[`'"]?(?:env|printenv|set|export|process\.env|environment|the\s+environment)\b/i,
      new RegExp(
        String.raw`\b(?:environment\s+file|credential\s+(?:store|helper|manager)|password\s+manager|keychain|keyring)\b[^.]{0,60}\b(?:must|has\s+to|into|in\s+the|as\s+[\x60'"])|${filling}[^.]{0,60}\b(?:environment\s+file|credential\s+(?:store|helper|manager)|password\s+manager|keychain|keyring)\b`,
        'i',
      ),
      new RegExp(String.raw`\b${giving}\b[^.]{0,60}(?:~|\$HOME|%USERPROFILE%)[\\/]\.[\w-]+[\\/][^\s]{1,80}`, 'i'),
      // Orders in other languages to send passwords or the conversation.
      /(?<!\p{L})(?:env[ií][ae]|enviar|envoy(?:ez|er)|envoie|invia|stuur|sende|schick(?:e|t)?|übermittle|skicka|wyślij|отправ(?:ь|ьте|ляй)|发送|發送|送信|보내|gönder|mande|transmet(?:s|tez))(?!\p{Ll}{3}).{0,60}(?:contraseñ|mots?\s+de\s+passe|passw[oö]r|kennw[oö]rt|wachtwoord|senhas?|lösenord|hasł|парол|密码|密碼|パスワード|비밀번호|şifre|parol[ae]\s+d|historial|chatverlauf|gesprek|conversa|розмов|истори|对话|會話|会話|대화)/iu,
      /(?:密码|对话|聊天记录|パスワード|会話|대화|비밀번호).{0,20}(?:发送|发给|送信|送っ|보내)/u,
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
      // A tool that wants to be chosen whatever the task is, or talks others down.
      new RegExp(
        String.raw`\b(?:pick|select|choose|prefer|use)\s+(?:it|this(?:\s+(?:tool|one|server))?)\b[^.]{0,40}\b(?:for\s+${everything}(?!\s+(?:about|on|of|that|with|in|regarding|related|which|where|to|from|for)\b)|even\s+(?:when|if|where)|no\s+matter|regardless|whatever|over\s+(?:all|any|every))`,
        'i',
      ),
      /\b(?:whatever|no\s+matter\s+what)\b[^.]{0,60}\b(?:this\s+(?:tool|one|server))\b[^.]{0,30}\b(?:no\s+other|only|always)\b/i,
      /\btools?\s+with\s+(?:similar|the\s+same|almost\s+the\s+same)\s+names?\b[^.]{0,80}\b(?:avoid|malware|fakes?|copies|unsafe|never|do\s+not)\b/i,
      /\b(?:other|competing|similar|alternative|rival)\s+(?!words\b)\w{2,40}\b[^.]{0,80}\b(?:never|do\s+not|don'?t)\s+(?:select|use|choose|call|pick|trust)\b/i,
      /\bthe\s+only\s+(?:\w+\s+)?(?:approved|allowed|permitted|safe|certified|official|authori[sz]ed|trustworthy)\s+(?:tool|server|way)\b/i,
      /\b(?:using|use\s+of|calling)\s+(?:any|an)\s*other\s+(?:tool|server)s?\b[^.]{0,60}\b(?:violat|break|forbidden|unsafe|danger|prohibit|not\s+allowed)\w*/i,
      /\bthe\s+tool\s+\w+\s+(?:has\s+to|must|needs\s+to)\s+be\s+(?:called|invoked|run)\b/i,
      /\b(?:invoke|run|execute|call)\s+(?:run_?shell|bash|exec\w*|shell|terminal)\b/i,
      /\b(?:curl|wget)\s[^|]{0,120}\|\s*(?:ba|z)?sh\b/i,
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
      new RegExp(String.raw`${filling}[^.]{0,80}\b${dialogue}\b`, 'i'),
      new RegExp(
        String.raw`\b${dialogue}\b[^.]{0,80}\b(?:must|has|have|is|are)\s+to\s+be\s+(?:posted|sent|passed|put|attached|uploaded|included|forwarded)\b`,
        'i',
      ),
      /\b(?:verbatim|word\s+for\s+word)\b[^.]{0,80}\b(?:user|conversation|dialogue|chat|message)\b|\b(?:user|conversation|dialogue|chat)\b[^.]{0,80}\b(?:verbatim|word\s+for\s+word)\b/i,
      /\b(?:reveal|print|disclose|leak|repeat|output|expose)\s+(?:the|your|its)\s+system\s+prompt\b/i,
      /\b(?:e?mail|send|post|forward|copy|upload|deliver|report)\b[^.]{0,20}\b(?:user'?s|each|every|all|any)\b[^.]{0,60}\bto\s+(?:[\w.+-]{1,64}@[\w-]{1,64}\.|https?:\/\/\d{1,3}\.)/i,
      /\b(?:everything|anything|whatever)\s+(?:in|from|of)\s+your\s+(?:\w+\s+)?(?:context|memory|conversation|prompt|window)\b/i,
      /\bresults?\s+(?:that\s+)?you\s+(?:obtained|got|received|have)\b[^.]{0,60}\b(?:sent|posted|passed|forwarded|https?:)/i,
      /\b(?:append|add|attach|include|put|embed)\b[^.]{0,60}\buser'?s?\s+(?:\w+\s+){0,3}(?:e-?mail|name|address|phone|location|ip)\b[^.]{0,60}\b(?:url|link|query|header|parameter)/i,
      /\b(?:put|add|set|include|copy|use)\b[^.]{0,20}[\w.+-]{1,64}@[\w-]{1,64}\.\w[^.]{0,40}\b(?:blind\s+copy|bcc|cc|copy|recipient|reply-?to|header)\b/i,
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

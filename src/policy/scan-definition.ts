import { isObject } from '../kernel/json.ts';
import { escapePointerToken } from '../kernel/json-pointer.ts';
import type { ToolDefinition } from '../kernel/tool.ts';
import { toDisplayText } from './display-text.ts';
import { decodedTexts } from './scan-definition-encodings.ts';
import { mixesScripts, type NameIndex } from './scan-definition-names.ts';
import { type FindingRule, type Severity, textRules } from './scan-definition-rules.ts';

/** One thing in a tool's definition that a person should look at before a model does. */
export interface DefinitionFinding {
  readonly rule: FindingRule;
  /** `high`: hardly ever in an honest definition. `medium`: sometimes. `low`: often enough. */
  readonly severity: Severity;
  /** A JSON pointer into the definition. */
  readonly where: string;
  /** The words it is about, safe to show. */
  readonly excerpt: string;
}

export interface ScanOptions {
  /** The names of all tools, as their servers call them. */
  readonly names?: NameIndex;
}

const maxFindings = 20;
const maxTexts = 5_000;
const maxTextLength = 20_000;
const maxCharacters = 200_000;
const longText = 6_000;
const excerptLength = 160;

/**
 * Looks for what poisoned definitions have in common. Pure and bounded: no network, no model, the same answer each time. What it
 * finds is a reason to look, and what it does not find proves nothing.
 */
export function scanDefinition(definition: ToolDefinition, { names }: ScanOptions = {}): DefinitionFinding[] {
  const findings: DefinitionFinding[] = [];
  const add = (rule: FindingRule, severity: Severity, where: string, text: string, at = 0) => {
    const isKnown = findings.some((finding) => finding.rule === rule && finding.where === where);
    if (!isKnown && findings.length < maxFindings)
      findings.push({ rule, severity, where, excerpt: excerptOf(text, at) });
  };

  if (mixesScripts(definition.name)) add('look-alike-name', 'high', '/name', definition.name);
  const twin = names?.lookAlikeOf(definition.name);
  if (twin) add('look-alike-name', twin.isDisguised ? 'high' : 'low', '/name', `${definition.name} ~ ${twin.name}`);

  let read = 0;
  for (const { where, text: whole } of textsOf(definition)) {
    read += Math.min(whole.length, maxTextLength);
    if (read > maxCharacters) {
      add('excessive-length', 'medium', where, `More than ${maxCharacters} characters: the rest was not looked at`);
      break;
    }
    // Most texts of a schema are words such as `string`.
    if (/^[a-z]{1,24}$/i.test(whole)) continue;
    if (whole.length > longText) add('excessive-length', 'medium', where, `${whole.length} characters: ${whole}`);
    // The end is where something would be put that nobody shall read.
    const text = whole.length > maxTextLength ? `${whole.slice(0, 16_000)}\n${whole.slice(-4_000)}` : whole;
    const hiddenAt = hiddenIn(text);
    if (hiddenAt !== undefined) add('hidden-characters', 'high', where, text, hiddenAt);
    scanText(readable(text), where, add);
    for (const { text: decoded, source, isPlain } of decodedTexts(text)) {
      add('encoded-text', isPlain ? 'medium' : 'high', where, `${source} = ${decoded}`);
      scanText(readable(decoded), where, add);
    }
  }
  return findings;
}

/** Whether findings are worth a warning to whoever runs the tool's server; what is `low` is only shown. */
export function isSuspicious(findings: readonly DefinitionFinding[]): boolean {
  return findings.some(({ severity }) => severity !== 'low');
}

type Add = (rule: FindingRule, severity: Severity, where: string, text: string, at?: number) => void;

function scanText(text: string, where: string, add: Add): void {
  for (const { rule, severity, patterns } of textRules) {
    for (const pattern of patterns) {
      const match = pattern.exec(text);
      if (!match) continue;
      add(rule, severity, where, text, match.index);
      break;
    }
  }
}

/** Everything a model would read, keys of schemas too. */
function* textsOf(definition: ToolDefinition): Generator<{ readonly where: string; readonly text: string }> {
  const open: { readonly where: string; readonly value: unknown; readonly depth: number }[] = [
    { where: '', value: definition, depth: 0 },
  ];
  let count = 0;
  for (let next = open.pop(); next && count < maxTexts; next = open.pop()) {
    const { where, value, depth } = next;
    if (typeof value === 'string') {
      count++;
      yield { where, text: value };
    } else if (depth < 64 && (isObject(value) || Array.isArray(value))) {
      for (const [key, member] of Object.entries(value).reverse()) {
        const place = `${where}/${escapePointerToken(key)}`;
        // A name of one word says nothing; a sentence in the place of a name does.
        if (!Array.isArray(value) && /\s|[^\x20-\x7e]/.test(key)) {
          count++;
          yield { where: place, text: key };
        }
        open.push({ where: place, value: member, depth: depth + 1 });
      }
    }
  }
}

// Between letters of these scripts the two joiners are spelling.
const spelling =
  /(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{M}])[\u200c\u200d]/gu;

// Most texts, and nothing can hide in them.
const plain = /^[\n\r\t\x20-\x7e]*$/;

/** Where the first character is that nobody can see. */
function hiddenIn(text: string): number | undefined {
  if (plain.test(text)) return undefined;
  // Windows ends lines in two characters, and editors begin files with a mark.
  const usual = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r', '')
    .replace(spelling, '')
    .replaceAll('\u00ad', '');
  const shown = toDisplayText(usual, { maxLength: usual.length });
  if (shown === usual.toWellFormed()) return undefined;
  let at = 0;
  while (at < usual.length && shown[at] === usual[at]) at++;
  return at;
}

const unseen = /\p{Cf}|\p{Cc}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]/gu;

/** The text as a model understands it: without what is hidden in it, disguised letters as what they stand for. */
function readable(text: string): string {
  // One blank for many: the rules are made for it, and would take long over thousands.
  const even = text.replace(/\s+/g, ' ');
  return plain.test(even) ? even : even.replace(unseen, '').normalize('NFKC');
}

function excerptOf(text: string, at: number): string {
  const from = Math.max(0, at - 20);
  const part = text
    .slice(from, from + excerptLength)
    .replace(/\s+/g, ' ')
    .trim();
  const shown = toDisplayText(part, { maxLength: excerptLength });
  return `${from > 0 ? '…' : ''}${shown}${from + excerptLength < text.length ? '…' : ''}`;
}

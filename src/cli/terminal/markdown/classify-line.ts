/** The kind of block that a line of Markdown starts or continues. */
export type LineKind =
  | { readonly kind: 'blank' }
  | { readonly kind: 'fence'; readonly indent: number; readonly marker: string; readonly language: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'row'; readonly text: string }
  | { readonly kind: 'item'; readonly indent: number; readonly bullet: string; readonly text: string }
  | { readonly kind: 'quote'; readonly depth: number; readonly text: string }
  | { readonly kind: 'text'; readonly indent: number; readonly text: string }
  /** Undecided until more of the line is known. */
  | { readonly kind: 'open' };

/** Classifies a line, or the start of one: `text`, `item` and `quote` are final even if the line is incomplete. */
export function classifyLine(line: string, isWhole: boolean): LineKind {
  const [space = ''] = /^[ \t]*/.exec(line) ?? [];
  const indent = space.replaceAll('\t', '    ').length;
  const body = line.slice(space.length).replace(/\r$/, '');
  const open = isWhole ? undefined : ({ kind: 'open' } as const);
  if (body === '') return open ?? { kind: 'blank' };
  switch (body[0]) {
    case '`':
    case '~':
      if (open && /^(?:`{1,2}|~{1,2})$/.test(body)) return open;
      return fence(body, indent, open) ?? { kind: 'text', indent, text: body };
    case '#':
      return heading(body, open) ?? { kind: 'text', indent, text: body };
    case '|':
      return open ?? { kind: 'row', text: body };
    case '>':
      return quote(body, open);
    default:
      return ruleOrItem(body, indent, open) ?? { kind: 'text', indent, text: body };
  }
}

type Open = { readonly kind: 'open' } | undefined;

function fence(body: string, indent: number, open: Open): LineKind | undefined {
  const [, marker, language = ''] = /^(`{3,}|~{3,})\s*([^`]*)$/.exec(body) ?? [];
  if (marker === undefined) return undefined;
  return open ?? { kind: 'fence', indent, marker, language: language.trim() };
}

function heading(body: string, open: Open): LineKind | undefined {
  const [, marks, text = ''] = /^(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(body) ?? [];
  if (marks === undefined) return undefined;
  return open ?? { kind: 'heading', level: marks.length, text };
}

function quote(body: string, open: Open): LineKind {
  const [marks = '', text = ''] = /^((?:>[ \t]?)+)(.*)$/.exec(body)?.slice(1) ?? [];
  if (open && text === '') return open;
  return { kind: 'quote', depth: marks.replaceAll(/[^>]/g, '').length, text };
}

function ruleOrItem(body: string, indent: number, open: Open): LineKind | undefined {
  if (/^([-*_])(?:[ \t]*\1){2,}[ \t]*$/.test(body)) return open ?? { kind: 'rule' };
  if (open && /^(?:([-*_])(?:[ \t]*\1)*|\+|\d{1,9}[.)]?)[ \t]*$/.test(body)) return open;
  const [, mark, text = ''] = /^([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/.exec(body) ?? [];
  if (mark === undefined) return undefined;
  const [, box, rest = ''] = /^\[([ xX])\](?:[ \t]+(.*))?$/.exec(text) ?? [];
  // `[x]` is a checkbox only if something follows it.
  if (open && /^\[(?:[ xX]?|[ xX]\][ \t]*)$/.test(text)) return open;
  const bullet = /\d/.test(mark) ? mark : '•';
  if (box === undefined) return { kind: 'item', indent, bullet, text };
  return { kind: 'item', indent, bullet: box === ' ' ? '☐' : '☑', text: rest };
}

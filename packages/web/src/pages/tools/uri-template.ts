/** One `{…}` of a template (RFC 6570). */
interface Expression {
  readonly operator: string;
  readonly names: readonly string[];
}

const expressions = /\{([+#./;?&]?)([^{}]*)\}/g;

const operators: Readonly<Record<string, { first: string; separator: string; named: boolean; reserved: boolean }>> = {
  '': { first: '', separator: ',', named: false, reserved: false },
  '+': { first: '', separator: ',', named: false, reserved: true },
  '#': { first: '#', separator: ',', named: false, reserved: true },
  '.': { first: '.', separator: '.', named: false, reserved: false },
  '/': { first: '/', separator: '/', named: false, reserved: false },
  ';': { first: ';', separator: ';', named: true, reserved: false },
  '?': { first: '?', separator: '&', named: true, reserved: false },
  '&': { first: '&', separator: '&', named: true, reserved: false },
};

/** The distinct names of a template's variables. */
export function listVariables(template: string): string[] {
  const names = [...template.matchAll(expressions)].flatMap((match) => toExpression(match).names);
  return [...new Set(names)].filter((name) => name !== '');
}

/** Expands a URI template. Variables without a value are left out, as RFC 6570 requires. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(expressions, (...match) => {
    const { operator, names } = toExpression(match as unknown as readonly string[]);
    const rule = operators[operator] ?? { first: '', separator: ',', named: false, reserved: false };
    const parts = names.flatMap((name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined || value === '') return [];
      const encoded = rule.reserved ? encodeURI(value) : encodeURIComponent(value);
      return [rule.named ? `${name}=${encoded}` : encoded];
    });
    return parts.length === 0 ? '' : `${rule.first}${parts.join(rule.separator)}`;
  });
}

function toExpression([, operator = '', list = '']: readonly (string | undefined)[]): Expression {
  return { operator, names: list.split(',').map((name) => name.replace(/\*$|:\d+$/, '').trim()) };
}

/** One `{…}` of a template by RFC 6570. */
interface Expression {
  readonly operator: string;
  readonly names: readonly string[];
}

const expressions = /\{([+#./;?&]?)([^{}]*)\}/g;

const shapes: Readonly<Record<string, { first: string; separator: string; named: boolean; reserved: boolean }>> = {
  '': { first: '', separator: ',', named: false, reserved: false },
  '+': { first: '', separator: ',', named: false, reserved: true },
  '#': { first: '#', separator: ',', named: false, reserved: true },
  '.': { first: '.', separator: '.', named: false, reserved: false },
  '/': { first: '/', separator: '/', named: false, reserved: false },
  ';': { first: ';', separator: ';', named: true, reserved: false },
  '?': { first: '?', separator: '&', named: true, reserved: false },
  '&': { first: '&', separator: '&', named: true, reserved: false },
};

/** The names of a template's variables, each once. */
export function variablesIn(template: string): string[] {
  const names = [...template.matchAll(expressions)].flatMap((match) => toExpression(match).names);
  return [...new Set(names)].filter((name) => name !== '');
}

/** The address that a template gives with these values. Variables without one are left out, as the RFC has it. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(expressions, (...match) => {
    const { operator, names } = toExpression(match as unknown as readonly string[]);
    const shape = shapes[operator] ?? { first: '', separator: ',', named: false, reserved: false };
    const parts = names.flatMap((name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined || value === '') return [];
      const encoded = shape.reserved ? encodeURI(value) : encodeURIComponent(value);
      return [shape.named ? `${name}=${encoded}` : encoded];
    });
    return parts.length === 0 ? '' : `${shape.first}${parts.join(shape.separator)}`;
  });
}

function toExpression([, operator = '', list = '']: readonly (string | undefined)[]): Expression {
  return { operator, names: list.split(',').map((name) => name.replace(/\*$|:\d+$/, '').trim()) };
}

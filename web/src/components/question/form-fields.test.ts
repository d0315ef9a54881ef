import { describe, expect, test } from 'vitest';
import { firstValues, toContent, toFormFields } from './form-fields.ts';

const fieldOf = (property: object, required = false) => {
  const [field] = toFormFields({ type: 'object', properties: { it: property }, required: required ? ['it'] : [] });
  if (!field) throw new Error('no field');
  return field;
};
const sent = (property: object, value?: string | boolean | readonly string[], required = false) => {
  const fields = [fieldOf(property, required)];
  const values = new Map(firstValues(fields));
  if (value !== undefined) values.set('it', value);
  return toContent(fields, values);
};

describe('the fields of a form that a server asks for', () => {
  test('know their kind, their bounds and their choices', () => {
    expect(fieldOf({ type: 'string', format: 'email', maxLength: 50 })).toMatchObject({
      kind: 'text',
      input: 'email',
      most: 50,
    });
    expect(fieldOf({ type: 'integer', minimum: 1, maximum: 9 })).toMatchObject({ kind: 'integer', least: 1, most: 9 });
    expect(fieldOf({ type: 'string', enum: ['a', 'b'], enumNames: ['One', 'Two'] })).toMatchObject({
      kind: 'one',
      choices: [
        { value: 'a', label: 'One' },
        { value: 'b', label: 'Two' },
      ],
    });
    expect(fieldOf({ type: 'string', oneOf: [{ const: 'x', title: 'Ex' }] }).choices).toEqual([
      { value: 'x', label: 'Ex' },
    ]);
    expect(
      fieldOf({ type: 'array', items: { anyOf: [{ const: 'x', title: 'Ex' }, { const: 'y' }] }, minItems: 1 }),
    ).toMatchObject({ kind: 'several', least: 1, choices: [{ label: 'Ex' }, { label: 'y' }] });
  });

  test('show what a server wrote without what deceives [R18]', () => {
    expect(fieldOf({ type: 'string', title: 'Na\u202eme', description: '\u001b[31mred' })).toMatchObject({
      label: 'Na⟨U+202E⟩me',
      hint: '⟨U+001B⟩[31mred',
    });
    expect(fieldOf({ type: 'string', title: 'Your API key' }).secret).toBe(true);
    expect(fieldOf({ type: 'string', title: 'Your name' }).secret).toBe(false);
  });

  test('are none where the schema is not one', () => {
    for (const schema of [undefined, null, 'x', [], {}, { properties: [] }, { properties: 7 }])
      expect(toFormFields(schema)).toEqual([]);
    expect(toFormFields({ properties: { a: null } })).toMatchObject([{ name: 'a', kind: 'text' }]);
  });

  test('are bounded', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, { type: 'string' }]));
    expect(toFormFields({ properties: many }).length).toBeLessThanOrEqual(100);
    const choices = Array.from({ length: 50_000 }, (_, at) => `c${at}`);
    expect(fieldOf({ type: 'string', enum: choices }).choices.length).toBeLessThanOrEqual(1_000);
  });
});

describe('what is sent', () => {
  test('has the types the server asked for', () => {
    expect(sent({ type: 'string' }, 'x')).toEqual({ it: 'x' });
    expect(sent({ type: 'integer' }, '7')).toEqual({ it: 7 });
    expect(sent({ type: 'number' }, '1.5')).toEqual({ it: 1.5 });
    expect(sent({ type: 'boolean' }, true)).toEqual({ it: true });
    expect(sent({ type: 'array', items: { enum: ['a', 'b'] } }, ['b'])).toEqual({ it: ['b'] });
    expect(sent({ type: 'string', format: 'date-time' }, '2026-03-01T10:00')).toEqual({
      it: new Date('2026-03-01T10:00').toISOString().replace('.000Z', 'Z'),
    });
  });

  test('leaves out what was left empty, but not what was emptied', () => {
    expect(sent({ type: 'string' })).toEqual({});
    expect(sent({ type: 'number' })).toEqual({});
    expect(sent({ type: 'boolean' })).toEqual({});
    expect(sent({ type: 'array', items: { enum: ['a'] } })).toEqual({});
    expect(sent({ type: 'string', default: 'was' }, '')).toEqual({ it: '' });
    expect(sent({ type: 'boolean', default: true }, false)).toEqual({ it: false });
    expect(sent({ type: 'boolean' }, undefined, true)).toEqual({ it: false });
  });

  test('begins with the defaults', () => {
    expect(sent({ type: 'string', default: 'a' })).toEqual({ it: 'a' });
    expect(sent({ type: 'integer', default: 3 })).toEqual({ it: 3 });
    expect(sent({ type: 'array', items: { enum: ['a', 'b'] }, default: ['a'] })).toEqual({ it: ['a'] });
    const moment = '2026-03-01T10:00:00Z';
    expect(sent({ type: 'string', format: 'date-time', default: moment })).toEqual({ it: moment });
  });

  test('keeps a field of any name a field', () => {
    const fields = toFormFields(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'));
    const content = toContent(fields, new Map([['__proto__', 'x']]));
    expect(JSON.stringify(content)).toBe('{"__proto__":"x"}');
  });
});

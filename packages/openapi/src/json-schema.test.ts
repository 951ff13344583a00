import { f } from '@storeloom/plugin-sdk';
import { expect, test } from 'vitest';
import { jsonSchemaOf } from './json-schema.ts';

test('rich text is described as HTML, translated or not', () => {
  const shape = {
    one: f.richText(),
    each: f.richText().translatable(),
    some: f.richText().translatable().optional(),
    words: f.i18n(),
  };
  for (const [mode, view] of [
    ['create', 'every-language'],
    ['patch', 'every-language'],
    ['answer', 'every-language'],
    ['answer', 'one-language'],
  ] as const) {
    const { properties } = jsonSchemaOf(shape, mode, { view, refs: undefined }) as {
      properties: Record<string, Record<string, unknown>>;
    };
    const isHtml = ({ contentMediaType, anyOf }: Record<string, unknown>): boolean =>
      contentMediaType === 'text/html' || ((anyOf ?? []) as Record<string, unknown>[]).some(isHtml);
    const found = Object.entries(properties).map(([name, schema]) => [name, isHtml(schema)]);
    expect([mode, view, found]).toEqual([
      mode,
      view,
      [
        ['one', true],
        ['each', true],
        ['some', true],
        ['words', false],
      ],
    ]);
  }
});

import { shapeSchema } from '@storeloom/plugin-sdk';
import { formatNumber } from '@storeloom/plugin-sdk/ledger';
import { describe, expect, it } from 'vitest';
import { settings } from '../settings.ts';
import { seriesOf } from './number.ts';

const accepts = (name: keyof typeof settings, value: unknown): boolean =>
  shapeSchema({ value: settings[name] }, 'create').safeParse({ value }).success;

describe('order numbers', () => {
  it('have a sequence for each text around them', () => {
    expect(seriesOf('{YYYY}-{000000}', '2026-11-27')).toBe('2026-#');
    expect(seriesOf('{YYYY}-{000000}', '2027-01-01')).toBe('2027-#');
    expect(seriesOf('A{0000}', '2026-11-27')).toBe('A#');
    expect(formatNumber('{YYYY}-{000000}', 42, '2026-11-27')).toBe('2026-000042');
  });

  it('need exactly one placeholder for the number', () => {
    for (const format of ['{000000}', '{YYYY}-{000000}', 'A{YY}{MM}{DD}/{0000}', '{YYYY}{0}X'])
      expect(accepts('orderNumberFormat', format), format).toBe(true);
    for (const format of ['', 'A', '{YYYY}', '{0} {0}', '{0}{0}', '{XX}{0}', '{', '{YYYY}-{000000}{MM}'])
      expect(accepts('orderNumberFormat', format), format).toBe(false);
  });

  it('series of documents can contain the year', () => {
    for (const series of ['INV', 'F{YYYY}', 'A/{YY}']) expect(accepts('invoiceSeries', series), series).toBe(true);
    for (const series of ['', '{YYYY}', 'A B', 'A{0}', '-']) expect(accepts('invoiceSeries', series), series).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import data from '../test/testdata/cases.json' with { type: 'json' };
import { type Known, type PastScan, verdictOf } from './verdict.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 5, 1, 18, minute)).toISOString();
const known: Known = { status: 'valid', validFrom: null, validUntil: null, reentry: false, past: [] };
const entry = { type: 'entry', at: at(0), nonce: 'x' } as const;
const past = (type: 'entry' | 'exit', minute: number, nonce: string): PastScan => ({ type, at: at(minute), nonce, gate: 'A' });

describe('a scan', () => {
  for (const { id, given, expect: expected } of data.cases.filter((one) => one.given.kind === 'check_in'))
    it(`case ${id}`, () => {
      const scans = given.scans as { type: 'entry' | 'exit'; nonce: string }[];
      const let_in: PastScan[] = [];
      const results = scans.map(({ type, nonce }, i) => {
        const { result } = verdictOf({ type, nonce, at: at(i) }, { ...known, reentry: given.reentry === true, past: let_in });
        if (result === 'ok') let_in.push({ type, nonce, at: at(i), gate: null });
        return result;
      });
      expect(results.map((result) => (result === 'ok' || result === 'repeat' ? 200 : 409))).toEqual(expected.statuses);
      if (expected.code) expect(results.at(-1)).toBe(expected.code);
      if (expected.logRowsOk) expect(let_in).toHaveLength(expected.logRowsOk);
    });

  it('of a cancelled ticket says so before it speaks of a duplicate', () => {
    const used = [past('entry', 0, 'a')];
    for (const status of ['cancelled', 'refunded', 'expired'] as const)
      expect(verdictOf({ ...entry, at: at(1) }, { ...known, status, past: used })).toEqual({
        result: 'canceled',
        ticketStatus: status,
      });
    expect(verdictOf(entry, { ...known, status: 'transferred' })).toMatchObject({ result: 'revoked' });
    expect(verdictOf(entry, { ...known, status: 'reserved' })).toMatchObject({ result: 'unpaid' });
  });

  it('outside the valid window is refused before a repeat is looked for; the window is half-open', () => {
    const window = { ...known, validFrom: at(10), validUntil: at(20) };
    expect(verdictOf({ ...entry, at: at(9) }, window)).toEqual({ result: 'invalid_time', validFrom: at(10), validUntil: at(20) });
    expect(verdictOf({ ...entry, at: at(10) }, window)).toEqual({ result: 'ok' });
    expect(verdictOf({ ...entry, at: at(20) }, window)).toMatchObject({ result: 'invalid_time' });
    // Leaving is possible after the end.
    expect(verdictOf({ ...entry, type: 'exit', at: at(20) }, window)).toEqual({ result: 'ok' });
  });

  it('at the door of another event, or while the doors are closed, is refused', () => {
    const tonight = { ...known, eventId: 'tonight', opensAt: at(10), closesAt: at(20) };
    expect(verdictOf({ ...entry, at: at(15), eventId: 'other' }, tonight)).toEqual({ result: 'wrong_event' });
    expect(verdictOf({ ...entry, at: at(15), eventId: 'other' }, { ...tonight, status: 'refunded' }).result).toBe('wrong_event');
    expect(verdictOf({ ...entry, at: at(15), eventId: 'tonight' }, tonight)).toEqual({ result: 'ok' });
    expect(verdictOf({ ...entry, at: at(9) }, tonight).result).toBe('invalid_time');
    // The window of the ticket's type takes precedence.
    expect(verdictOf({ ...entry, at: at(9) }, { ...tonight, validFrom: at(5) })).toEqual({ result: 'ok' });
  });

  it('reports the first entry when the ticket is already inside', () => {
    expect(verdictOf({ ...entry, at: at(5) }, { ...known, past: [past('entry', 0, 'a')] })).toEqual({
      result: 'already_redeemed',
      firstAt: at(0),
      gate: 'A',
    });
  });
});

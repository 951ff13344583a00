import { describe, expect, it } from 'vitest';
import { outcomeOf } from './outcome.ts';

describe('outcomeOf', () => {
  it('waits for every part, and leaves mixed outcomes to staff', () => {
    expect(outcomeOf([], 0)).toBe('succeeded');
    expect(outcomeOf([{ status: 'succeeded' }], 2)).toBeUndefined();
    expect(outcomeOf([{ status: 'succeeded' }, { status: 'pending' }], 2)).toBeUndefined();
    expect(outcomeOf([{ status: 'succeeded' }, { status: 'succeeded' }], 2)).toBe('succeeded');
    expect(outcomeOf([{ status: 'failed' }, { status: 'cancelled' }], 2)).toBe('failed');
    expect(outcomeOf([{ status: 'cancelled' }, { status: 'cancelled' }], 2)).toBe('cancelled');
    expect(outcomeOf([{ status: 'failed' }, { status: 'succeeded' }], 2)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { Ctx } from '../context.ts';
import { defineMachine } from '../state/machine.ts';
import { holdMoves } from './hold-moves.ts';
import { defineHolds } from './holds.ts';

type Status = 'pending' | 'confirmed' | 'declined' | 'expired' | 'cancelled';
interface Row {
  id: string;
  status: Status;
  holdExpiresAt: string | null;
}

const now = '2026-11-28T10:00:00.000Z';
const ctx = { clock: { now: () => now } } as unknown as Ctx;
const holds = defineHolds({ entity: 'desks.booking' });
const released: string[] = [];
const { confirm, decline, expire, cancel } = holdMoves<Row>(holds, (_, { id }) => {
  released.push(id);
  return { freed: true };
});
const pending = (holdExpiresAt: string | null): Row => ({ id: 'b1', status: 'pending', holdExpiresAt });

describe('moves of a hold', () => {
  it('make a machine', () => {
    const machine = defineMachine<Status, Row>({
      start: 'pending',
      states: ['pending', 'confirmed', 'declined', 'expired', 'cancelled'],
      moves: { confirm, decline, expire, cancel },
    });
    expect(machine.allowed('pending')).toEqual(['confirmed', 'declined', 'expired', 'cancelled']);
    expect(machine.allowed('confirmed')).toEqual(['cancelled']);
    expect(Object.values(machine.moves).filter(({ route, internal }) => route === false && !internal)).toHaveLength(3);
  });

  it('confirm until the hold lapses, and not from that instant on', async () => {
    await confirm.guard?.(ctx, pending('2026-11-28T10:00:00.001Z'), {});
    await confirm.guard?.(ctx, pending(null), {});
    expect(() => confirm.guard?.(ctx, pending(now), {})).toThrow(expect.objectContaining({ code: 'expired' }));
    expect(confirm.run?.(ctx, pending(null), {})).toEqual({ holdExpiresAt: null });
    expect(released).toEqual([]);
  });

  it('release what is held when it ends, and keep the instant at which a hold lapsed', async () => {
    expect(await decline.run?.(ctx, pending(now), {})).toEqual({ holdExpiresAt: null, freed: true });
    expect(await cancel.run?.(ctx, pending(now), {})).toEqual({ holdExpiresAt: null, freed: true });
    expect(await expire.run?.(ctx, pending(now), {})).toEqual({ freed: true });
    expect(released).toEqual(['b1', 'b1', 'b1']);
  });
});

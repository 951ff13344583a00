import { f, table } from '@storeloom/plugin-sdk';

/** E-mail links. A draft order or abandoned cart has at most one active link; a new link ends the previous one. */
export const link = table(
  'link',
  {
    kind: f.oneOf(['draft', 'recovery']),
    targetId: f.id(),
    tokenHash: f.text({ max: 64 }),
    tokenSealed: f.text({ max: 400 }),
    expiresAt: f.instant(),
    /** When the link was used, or replaced by a newer one. */
    endedAt: f.instant().optional(),
  },
  { uniques: [{ fields: ['targetId'], where: 'ended_at is null' }, { fields: ['tokenHash'] }] },
);

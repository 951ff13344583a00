import { f, table } from '@storeloom/plugin-sdk';

/** Links in mails: one live link a draft order or abandoned cart; a new one ends the old one. */
export const link = table('link', {
  kind: f.oneOf(['draft', 'recovery']),
  targetId: f.id(),
  tokenHash: f.text({ max: 64 }),
  tokenSealed: f.text({ max: 400 }),
  expiresAt: f.instant(),
  /** Used up, or replaced by a newer link. */
  endedAt: f.instant().optional(),
});

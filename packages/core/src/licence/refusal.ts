import { Problem } from '@storeloom/plugin-sdk';
import type { LicenceAnswer } from './answer.ts';
import { ServerAway } from './server.ts';

/** The caller hears that the server is away; anything else is a fault. */
export function away(error: Error): never {
  if (error instanceof ServerAway)
    throw new Problem('unavailable', { detail: 'The licence server did not answer.', retryAfter: 60 });
  throw error;
}

const said: Partial<Record<LicenceAnswer, string>> = {
  suspended: 'The licence was revoked.',
  expired: 'The licence has ended.',
  overdue: 'The licence is not paid.',
  fingerprint_mismatch: 'The licence is for other machines.',
  wrong_environment: 'The licence is for another environment than this installation runs in (STORELOOM_ENV).',
};
/** What the licence server's answer says to the caller. */
export function refusalOf(answer: LicenceAnswer): Problem {
  if (answer === 'too_many_activations')
    return new Problem('activation_limit', {
      detail: 'Every activation of this licence is in use. Deactivate another one first.',
    });
  if (answer === 'not_found')
    return new Problem('validation_failed', {
      detail: 'No licence has this key.',
      errors: [{ pointer: '/key', code: 'not_found', message: 'no licence has this key' }],
    });
  return new Problem('license_required', { detail: said[answer] ?? 'The licence server gives no licence.', reason: answer });
}

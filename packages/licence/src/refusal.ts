import { Problem } from '@storeloom/plugin-sdk';
import type { LicenceAnswer } from './answer.ts';
import { LicenceServerError } from './server.ts';

/** Converts an unreachable server to 503 `unavailable`; rethrows any other error. */
export function throwUnavailable(error: Error): never {
  if (error instanceof LicenceServerError)
    throw new Problem('unavailable', { detail: 'The licence server did not respond.', retryAfter: 60 });
  throw error;
}

const said: Partial<Record<LicenceAnswer, string>> = {
  suspended: 'The licence was revoked.',
  expired: 'The licence has ended.',
  overdue: 'The licence is not paid.',
  fingerprint_mismatch: 'The licence is for other machines.',
  wrong_environment: 'The licence is for another environment than this installation runs in (STORELOOM_ENV).',
};
/** Converts the licence server's response to a problem. */
export function problemOfResponse(answer: LicenceAnswer): Problem {
  if (answer === 'too_many_activations')
    return new Problem('activation_limit', {
      detail: 'Every activation of this licence is in use. Deactivate another installation first.',
    });
  if (answer === 'not_found')
    return new Problem('validation_failed', {
      detail: 'There is no licence with this key.',
      errors: [{ pointer: '/key', code: 'not_found', message: 'is not the key of a licence' }],
    });
  return new Problem('license_required', { detail: said[answer] ?? 'The licence server rejected the request.', reason: answer });
}

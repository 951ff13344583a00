import { cost } from '../plugins/identity/src/account/password.ts';
import { registration } from '../plugins/identity/src/account/register.ts';

/**
 * Set-up of vitest's `db` project. Sign-in and registration are slow by design, and every file uses both, so here they are fast. Identity's
 * unit tests and tests with `asSlowAsReal` check the real cost.
 */
Object.assign(cost, { memory: 8, passes: 1 });
registration.ms = 1;

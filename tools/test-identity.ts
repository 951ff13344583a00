import { cost } from '../plugins/identity/src/account/password.ts';
import { registration } from '../plugins/identity/src/account/register.ts';

/**
 * Set-up of vitest's `db` project: signing in and registering are slow on purpose, and every file does both. Here they cost next to
 * nothing; that they cost what they should is proven by identity's unit tests and, by the clock, where `asSlowAsReal` stands.
 */
Object.assign(cost, { memory: 8, passes: 1 });
registration.ms = 1;

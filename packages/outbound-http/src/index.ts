export { createHttpGuard, type HttpGuardOptions } from './guard.ts';

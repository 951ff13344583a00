import { service } from '../token.ts';

export interface SetupToken {
  /** Constant-time comparison. */
  matches(token: string | undefined): boolean;
}
export const setupToken = service<SetupToken>('kernel:setup-token');

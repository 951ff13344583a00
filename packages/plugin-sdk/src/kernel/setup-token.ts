import { service } from '../token.ts';

/** The token that authorizes the first set-up of an installation. */
export interface SetupToken {
  /** Compares a token in constant time. */
  matches(token: string | undefined): boolean;
}
/** Service token of `SetupToken`. */
export const setupToken = service<SetupToken>('kernel:setup-token');

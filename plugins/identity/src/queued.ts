import type { Audience } from '@storeloom/plugin-sdk';
import { job } from '@storeloom/plugin-sdk';

export interface PasswordMail {
  audience: Audience;
  tenantId: string | null;
  email: string;
  locale: string;
}

/** Jobs that are queued with data. */
export const queued = {
  passwordMail: job<PasswordMail>('passwordMail'),
};

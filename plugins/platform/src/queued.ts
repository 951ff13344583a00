import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  owner: job<{ tenantId: string; email: string }>('owner'),
  licenceMail: job<{ licenceId: string; mail: string }>('licenceMail'),
  soldLicence: job<{ source: string; email: string; product: object; quantity: number; paidAt: string }>('soldLicence'),
};

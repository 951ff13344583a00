import { service } from '@storeloom/plugin-sdk';

export interface Accounts {
  /** Staff account with the owner role; the password is given (setup, demo) or set by the invitation. */
  createOwner(owner: {
    email: string;
    name: string;
    password?: string;
  }): Promise<{ userId: string; invitation: { token: string; url: string; expiresAt: string } | null }>;
  /** Ends every session of a customer (erasure). */
  endCustomerSessions(customerId: string): Promise<void>;
  /** Removes the sign-in of a customer. */
  removeCustomerCredential(customerId: string): Promise<void>;
  /** Name and e-mail of staff, for authorship. */
  users(ids: readonly string[]): Promise<{ id: string; name: string; email: string }[]>;
  staffUserIds(): Promise<string[]>;
  /** Roles of a member of the staff. */
  roleIds(userId: string): Promise<string[]>;
  /** Whether the tenant ever had staff, also invited or gone. */
  everStaffed(): Promise<boolean>;
}
export const accounts = service<Accounts>('identity:accounts');
export interface Operators {
  create(operator: { email: string; name: string; password: string }): Promise<{ userId: string }>;
}
export const operators = service<Operators>('identity:operators');

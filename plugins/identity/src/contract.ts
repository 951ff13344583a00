import { service } from '@storeloom/plugin-sdk';

export interface Accounts {
  /** Staff account with the owner role; the password is given (setup, demo) or set by the invitation. */
  createOwner(owner: {
    email: string;
    name: string;
    password?: string;
  }): Promise<{ userId: string; invitation: { token: string; url: string; expiresAt: string } | null }>;
  /** Staff account with these roles and a given password (seeds, tests); others set their password by the e-mail of an invitation. */
  createStaff(staff: { email: string; name: string; password: string; roleIds: readonly string[] }): Promise<{ userId: string }>;
  /** Ends every session of a customer (erasure). */
  endCustomerSessions(customerId: string): Promise<void>;
  /** Removes the sign-in of a customer. */
  removeCustomerCredential(customerId: string): Promise<void>;
  /** Name and e-mail of staff, for authorship. */
  users(ids: readonly string[]): Promise<{ id: string; name: string; email: string }[]>;
  staffUserIds(): Promise<string[]>;
  /** Roles of a member of the staff. */
  roleIds(userId: string): Promise<string[]>;
  /**
   * Signs in an owner without a password, for checks of the installation from its own command line, and records it in the audit log. The
   * session ends with the access token, after ten minutes. Undefined without an active owner.
   */
  checkToken(): Promise<string | undefined>;
  /** Whether the tenant ever had staff, also invited or gone. */
  everStaffed(): Promise<boolean>;
}
export const accounts = service<Accounts>('identity:accounts');
export interface Operators {
  create(operator: { email: string; name: string; password: string }): Promise<{ userId: string }>;
}
export const operators = service<Operators>('identity:operators');

/** The customer record behind a sign-in. */
export interface SignInCustomer {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  status: 'active' | 'disabled' | 'erased';
  /** Null until the customer has confirmed the address. */
  emailVerifiedAt: string | null;
}
/**
 * Customer records, which plugin customers keeps and provides. Identity keeps credentials and sessions and knows a customer by id only.
 * All methods run in the caller's transaction.
 */
export interface CustomerDirectory {
  get(id: string): Promise<SignInCustomer | undefined>;
  /** The address is compared in its normal form. */
  byEmail(email: string): Promise<SignInCustomer | undefined>;
  /**
   * Finds the record with the e-mail address or creates one. Names and phone replace those of an existing record, which a guest order can
   * have filled, once the address is confirmed.
   */
  register(person: {
    email: string;
    firstName: string | null;
    lastName: string | null;
    phone?: string | null;
  }): Promise<{ id: string }>;
  /**
   * Sets `emailVerifiedAt` once. `acceptRegistration`: whether the names and phone of the registration replace those of the record; they are
   * discarded otherwise.
   */
  markVerified(id: string, options: { acceptRegistration: boolean }): Promise<void>;
}
export const customerDirectory = service<CustomerDirectory>('identity:customer-directory');

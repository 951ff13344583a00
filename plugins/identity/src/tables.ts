import { f, table } from '@storeloom/plugin-sdk';

/** Staff of the tenant. The account behind it (password, second factor) is one for the installation. */
export const user = table(
  'user',
  {
    accountId: f.id(),
    name: f.text(),
    email: f.email(),
    status: f.oneOf(['active', 'disabled']).default('active'),
    /** Null until the invitation is accepted. */
    joinedAt: f.instant().optional(),
  },
  { softDelete: true },
);

export const role = table('role', {
  name: f.text({ max: 80 }),
  permissions: f.list(f.text({ max: 120 }), { max: 500 }).default([]),
  system: f.bool().default(false),
});

const userRole = table('user-role', { userId: f.ref('identity.user'), roleId: f.ref('identity.role') });

export const credential = table('credential', {
  customerId: f.id(),
  /** Null: signs in through an identity provider only. */
  passwordHash: f.text({ max: 300 }).optional(),
  sessionVersion: f.int({ min: 1 }).default(1),
});

/** Who a customer is at an identity provider. */
export const externalIdentity = table('external-identity', {
  provider: f.oneOf(['idp-a', 'idp-b']),
  issuer: f.text({ max: 2000 }),
  subject: f.text({ max: 255 }),
  customerId: f.id(),
  lastUsedAt: f.instant(),
});

const session = table('session', {
  audience: f.oneOf(['admin', 'storefront']),
  subjectId: f.id(),
  sessionVersion: f.int({ min: 1 }),
  /** 1: password, or a device that is trusted. 2: a code of the second factor too. */
  authLevel: f.int({ min: 1 }),
  authAt: f.instant(),
  lastSeenAt: f.instant(),
  expiresAt: f.instant(),
  revokedAt: f.instant().optional(),
  ip: f.text({ max: 64 }).optional(),
  userAgent: f.text({ max: 300 }).optional(),
});

const refreshToken = table('refresh-token', {
  sessionId: f.id(),
  tokenHash: f.text({ max: 64 }),
  expiresAt: f.instant(),
  rotatedAt: f.instant().optional(),
  successor: f.text({ max: 1000 }).optional(),
});

export const mailToken = table('token', {
  /** `join`: of an invitation, in the response to the inviter; `invite`: of its e-mail. */
  purpose: f.oneOf(['reset', 'verify', 'invite', 'join']),
  subjectId: f.id(),
  tokenHash: f.text({ max: 64 }),
  expiresAt: f.instant(),
  usedAt: f.instant().optional(),
});

const tenantSetup = table('tenant-setup', { key: f.text({ max: 40 }) }, { appendOnly: true });

export const tables = [user, role, userRole, credential, externalIdentity, session, refreshToken, mailToken, tenantSetup];

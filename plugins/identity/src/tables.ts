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
  {
    uniques: [
      { fields: ['accountId'], where: 'deleted_at is null' },
      { fields: ['email'], where: 'deleted_at is null' },
    ],
    sqlOnly: { identity_user_account_idx: 'without tenant: a sign-in finds the users of an account in all tenants' },
    softDelete: true,
  },
);

export const role = table(
  'role',
  {
    name: f.text({ max: 80 }),
    permissions: f.list(f.text({ max: 120 }), { max: 500 }).default([]),
    system: f.bool().default(false),
  },
  { sqlOnly: { identity_role_name_key: 'expression: the name is compared without regard to case' } },
);

const userRole = table(
  'user-role',
  { userId: f.ref('identity.user'), roleId: f.ref('identity.role') },
  {
    uniques: [{ name: 'identity_user_role_role_id_key', fields: ['userId', 'roleId'] }],
    indexes: [{ name: 'identity_user_role_role_idx', fields: ['roleId'] }],
  },
);

export const credential = table(
  'credential',
  {
    customerId: f.id(),
    /** Null: signs in through an identity provider only. */
    passwordHash: f.text({ max: 300 }).optional(),
    sessionVersion: f.int({ min: 1 }).default(1),
  },
  { uniques: [{ fields: ['customerId'] }] },
);

/** Who a customer is at an identity provider. */
export const externalIdentity = table(
  'external-identity',
  {
    provider: f.oneOf(['idp-a', 'idp-b']),
    issuer: f.text({ max: 2000 }),
    subject: f.text({ max: 255 }),
    customerId: f.id(),
    lastUsedAt: f.instant(),
  },
  {
    uniques: [{ name: 'identity_external_identity_subject_key', fields: ['issuer', 'subject'] }],
    indexes: [{ name: 'identity_external_identity_customer_idx', fields: ['customerId'] }],
  },
);

const session = table(
  'session',
  {
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
  },
  {
    indexes: [
      { name: 'identity_session_expires_idx', fields: ['expiresAt'] },
      { name: 'identity_session_subject_idx', fields: ['subjectId'] },
    ],
  },
);

const refreshToken = table(
  'refresh-token',
  {
    sessionId: f.id(),
    tokenHash: f.text({ max: 64 }),
    expiresAt: f.instant(),
    rotatedAt: f.instant().optional(),
    successor: f.text({ max: 1000 }).optional(),
  },
  {
    uniques: [{ name: 'identity_refresh_token_hash_key', fields: ['tokenHash'] }],
    indexes: [{ name: 'identity_refresh_token_session_idx', fields: ['sessionId'] }],
  },
);

export const mailToken = table(
  'token',
  {
    /** `join`: of an invitation, in the response to the inviter; `invite`: of its e-mail. */
    purpose: f.oneOf(['reset', 'verify', 'invite', 'join']),
    subjectId: f.id(),
    tokenHash: f.text({ max: 64 }),
    expiresAt: f.instant(),
    usedAt: f.instant().optional(),
  },
  {
    uniques: [{ name: 'identity_token_hash_key', fields: ['tokenHash'] }],
    indexes: [{ name: 'identity_token_subject_idx', fields: ['subjectId'] }],
  },
);

const tenantSetup = table('tenant-setup', { key: f.text({ max: 40 }) }, { uniques: [{ fields: ['key'] }], appendOnly: true });

export const tables = [user, role, userRole, credential, externalIdentity, session, refreshToken, mailToken, tenantSetup];

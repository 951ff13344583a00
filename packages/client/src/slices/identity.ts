// Generated from the OpenAPI document of the plugin identity. Do not edit.

import type { CallOptions, Pages, Slice } from '../index.ts';

export interface AdminGet2faSetupAnswer {
  secret: string;
  otpauthUrl: string;
}

export interface AdminGetMePermissionsAnswer {
  permissions: string[];
}

export interface AdminGetRbacRolesRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  name: string;
  permissions: string[];
  system: boolean;
  users: number;
}

export interface AdminGetRbacUsersByUserIdRolesRow {
  id: string;
  name: string;
  permissions: string[];
  system: boolean;
  users: number;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export interface AdminGetRbacUsersRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  email: string;
  name: string;
  roleIds: string[];
  status: "active" | "disabled";
  twoFactor: boolean;
  joinedAt: string | null;
  lastSeenAt: string | null;
}

export interface AdminPatchRbacUsersByUserIdChange {
  name?: string;
  roleIds?: string[];
  status?: "active" | "disabled";
}

export interface AdminPost2faCheckDeviceAnswer {
  trusted: boolean;
  until: string | null;
}

export interface AdminPost2faCheckDeviceInput {
  deviceToken: string;
}

export interface AdminPost2faDisableInput {
  password: string;
  code: string;
}

export interface AdminPost2faEnableAnswer {
  recoveryCodes: string[];
}

export interface AdminPost2faEnableInput {
  code: string;
}

export interface AdminPost2faVerifyAnswer {
  accessToken: string;
  tokenType: "Bearer";
  expiresIn: number;
  refreshToken: string | null;
  user: { id: string; email: string; name: string | null; firstName: string | null; lastName: string | null; };
  deviceToken: string | null;
}

export interface AdminPost2faVerifyInput {
  challenge?: string | null;
  code?: string | null;
  recoveryCode?: string | null;
  trustDevice?: boolean;
}

export interface AdminPostRbacRolesInput {
  name: string;
  permissions: string[];
}

export interface AdminPostRbacUsersAnswer {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  email: string;
  name: string;
  roleIds: string[];
  status: "active" | "disabled";
  twoFactor: boolean;
  joinedAt: string | null;
  lastSeenAt: string | null;
  invitation: { url: string; token: string; expiresAt: string; };
}

export interface AdminPostRbacUsersByUserIdRolesInput {
  roleId: string;
}

export interface AdminPostRbacUsersInput {
  email: string;
  name: string;
  roleIds: string[];
  status?: "active" | "disabled";
}

export interface AuthGetMeAnswer {
  user: { id: string; email: string; name: string | null; firstName: string | null; lastName: string | null; };
  tenant: { id: string; slug: string; name: string; } | null;
  audience: "admin" | "storefront" | "super-admin";
  permissions: string[];
}

export interface AuthPostForgotPasswordAnswer {
  status: "accepted";
}

export interface AuthPostForgotPasswordInput {
  email: string;
  audience?: "admin" | "storefront" | "super-admin" | null;
}

export interface AuthPostLoginAnswer {
  accessToken: string;
  tokenType: "Bearer";
  expiresIn: number;
  refreshToken: string;
  user: { id: string; email: string; name: string | null; firstName: string | null; lastName: string | null; };
}

export interface AuthPostLoginInput {
  email: string;
  password: string;
  audience?: "admin" | "storefront" | "super-admin" | null;
  tenant?: string | null;
  otp?: string | null;
  deviceToken?: string | null;
}

export interface AuthPostRefreshInput {
  refreshToken?: string | null;
  audience?: "admin" | "storefront" | "super-admin" | null;
}

export interface AuthPostRegisterInput {
  email: string;
  password: string;
  firstName?: string | null;
  lastName?: string | null;
  phone?: string | null;
}

export interface AuthPostResetPasswordInput {
  token: string;
  password: string;
}

export interface AuthPostVerifyEmailInput {
  token: string;
}

export interface SystemGetApiCsrfTokenAnswer {
  csrfToken: string;
}

export interface SystemPostApiInternalSetupAnswer {
  tenant: { id: string; slug: string; name: string; };
  user: { id: string; email: string; name: string | null; firstName: string | null; lastName: string | null; };
}

export interface SystemPostApiInternalSetupCustomerAnswer {
  tenant: { id: string; slug: string; name: string; };
  user: { id: string; email: string; name: string | null; firstName: string | null; lastName: string | null; };
}

export interface SystemPostApiInternalSetupCustomerInput {
  tenant: string;
  email: string;
  password: string;
  firstName?: string | null;
  lastName?: string | null;
}

export interface SystemPostApiInternalSetupInput {
  tenant: { name: string; slug: string; host: string; };
  owner: { email: string; password: string; name?: string | null; };
}

export interface SystemPostApiInternalSetupSuperAdminAnswer {
  user: { id: string; email: string; name: string | null; firstName: string | null; lastName: string | null; };
}

export interface SystemPostApiInternalSetupSuperAdminInput {
  email: string;
  password: string;
  name?: string | null;
}

export interface AdminGetRbacRolesQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("name" | "-name" | "createdAt" | "-createdAt") | readonly ("name" | "-name" | "createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  name?: string | { ne?: string; in?: string | readonly string[]; };
  system?: boolean;
}

export interface AdminGetRbacUsersQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("name" | "-name" | "email" | "-email" | "createdAt" | "-createdAt") | readonly ("name" | "-name" | "email" | "-email" | "createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  email?: string | { ne?: string; in?: string | readonly string[]; };
  status?: "active" | "disabled" | { ne?: "active" | "disabled"; in?: ("active" | "disabled") | readonly ("active" | "disabled")[]; };
  roleId?: string;
}

export interface AdminGetRbacUsersByUserIdRolesQuery {
  /** Accepted as on every list. This list isn’t paged: it has all rows. */
  limit?: number;
}

export interface AuthGetIdpAQuery {
  returnTo?: string;
  link?: boolean;
}

export interface AuthGetIdpACallbackQuery {
  /** As the sign-in was begun with. */
  state: string;
  /** What the provider exchanges for its tokens. */
  code?: string;
  /** Why the provider refused, instead of a code. */
  error?: string;
  /** The provider, by RFC 9207. */
  iss?: string;
  /** What else the provider adds. */
  others?: Record<string, string | number | boolean>;
}

export interface AuthGetIdpBQuery {
  returnTo?: string;
  link?: boolean;
}

export interface AuthGetIdpBCallbackQuery {
  /** As the sign-in was begun with. */
  state: string;
  /** What the provider exchanges for its tokens. */
  code?: string;
  /** Why the provider refused, instead of a code. */
  error?: string;
  /** The provider, by RFC 9207. */
  iss?: string;
  /** What else the provider adds. */
  others?: Record<string, string | number | boolean>;
}

export interface SystemGetApiCsrfTokenQuery {
  audience?: "admin" | "storefront" | "super-admin";
}

export interface IdentityAdmin {
  '2fa': {
    /** Whether a device token still takes the place of a code here. `POST /api/admin/2fa/check-device`, permission `identity.self.use`. */
    checkDevice(body: AdminPost2faCheckDeviceInput, options?: CallOptions): Promise<AdminPost2faCheckDeviceAnswer>;
    /** Turn the second factor off, with password and code. `POST /api/admin/2fa/disable`, permission `identity.self.use`. */
    disable(body: AdminPost2faDisableInput, options?: CallOptions): Promise<void>;
    /** Turn the second factor on with the first code; gives the recovery codes, once. `POST /api/admin/2fa/enable`, permission `identity.self.use`. */
    enable(body: AdminPost2faEnableInput, options?: CallOptions): Promise<AdminPost2faEnableAnswer>;
    /** A secret for the authenticator app; on once `enable` has got a code of it. `GET /api/admin/2fa/setup`, permission `identity.self.use`. */
    setup(options?: CallOptions): Promise<AdminGet2faSetupAnswer>;
    /** Give the second factor: for the challenge of a sign-in, or with a bearer to raise its session. `POST /api/admin/2fa/verify`, permission `identity.self.use`. */
    verify(body?: AdminPost2faVerifyInput, options?: CallOptions): Promise<AdminPost2faVerifyAnswer>;
  };
  me: {
    /** What the caller may do. `GET /api/admin/me/permissions`, permission `identity.self.use`. */
    permissions(options?: CallOptions): Promise<AdminGetMePermissionsAnswer>;
  };
  rbac: {
    roles: {
      /** Create a role. `POST /api/admin/rbac/roles`, permission `identity.role.create`. */
      create(body: AdminPostRbacRolesInput, options?: CallOptions): Promise<AdminGetRbacRolesRow>;
      /** Read a role. `GET /api/admin/rbac/roles/{id}`, permission `identity.role.read`. */
      get(id: string, options?: CallOptions): Promise<AdminGetRbacRolesRow>;
      /** List roles. `GET /api/admin/rbac/roles`, permission `identity.role.read`. */
      list(query?: AdminGetRbacRolesQuery, options?: CallOptions): Pages<AdminGetRbacRolesRow>;
      /** Delete a role. `DELETE /api/admin/rbac/roles/{id}`, permission `identity.role.delete`. */
      remove(id: string, options?: CallOptions): Promise<void>;
      /** Replace a role. `PUT /api/admin/rbac/roles/{id}`, permission `identity.role.update`. */
      replace(id: string, body: AdminPostRbacRolesInput, options?: CallOptions): Promise<AdminGetRbacRolesRow>;
    };
    /** Make the system roles that are missing. `POST /api/admin/rbac/seed`, permission `identity.role.seed`. */
    seed(options?: CallOptions): Pages<AdminGetRbacRolesRow>;
    users: {
      /** Invite a staff user. `POST /api/admin/rbac/users`, permission `identity.user.create`. */
      create(body: AdminPostRbacUsersInput, options?: CallOptions): Promise<AdminPostRbacUsersAnswer>;
      /** Staff of the tenant. `GET /api/admin/rbac/users`, permission `identity.user.read`. */
      list(query?: AdminGetRbacUsersQuery, options?: CallOptions): Pages<AdminGetRbacUsersRow>;
      /** Remove a staff user from this tenant. `DELETE /api/admin/rbac/users/{userId}`, permission `identity.user.delete`. */
      remove(userId: string, options?: CallOptions): Promise<void>;
      roles: {
        /** Give a role. `POST /api/admin/rbac/users/{userId}/roles`, permission `identity.user-role.create`. */
        (userId: string, body: AdminPostRbacUsersByUserIdRolesInput, options?: CallOptions): Pages<AdminGetRbacUsersByUserIdRolesRow>;
        /** List roles. `GET /api/admin/rbac/users/{userId}/roles`, permission `identity.user-role.read`. */
        list(userId: string, query?: AdminGetRbacUsersByUserIdRolesQuery, options?: CallOptions): Pages<AdminGetRbacUsersByUserIdRolesRow>;
        /** Delete a role. `DELETE /api/admin/rbac/users/{userId}/roles/{roleId}`, permission `identity.user-role.delete`. */
        remove(userId: string, roleId: string, options?: CallOptions): Promise<void>;
      };
      /** Change a user. `PATCH /api/admin/rbac/users/{userId}`, permission `identity.user.update`. */
      update(userId: string, body: AdminPatchRbacUsersByUserIdChange, options?: CallOptions): Promise<AdminGetRbacUsersRow>;
    };
  };
}

export interface IdentityAuth {
  /** Ask for a mail to set a new password. `POST /api/auth/forgot-password`. */
  forgotPassword(body: AuthPostForgotPasswordInput, options?: CallOptions): Promise<AuthPostForgotPasswordAnswer>;
  idpA: {
    /** Sign a customer in through the identity provider, or link an identity to who is signed in. `GET /api/auth/idp-a`. */
    (query?: AuthGetIdpAQuery): string;
    /** Where the identity provider sends the browser back to. `GET /api/auth/idp-a/callback`. */
    callback(query: AuthGetIdpACallbackQuery): string;
  };
  idpB: {
    /** Sign a customer in through the identity provider, or link an identity to who is signed in. `GET /api/auth/idp-b`. */
    (query?: AuthGetIdpBQuery): string;
    /** Where the identity provider sends the browser back to. `GET /api/auth/idp-b/callback`. */
    callback(query: AuthGetIdpBCallbackQuery): string;
  };
  /** Sign in with e-mail address and password. `POST /api/auth/login`. */
  login(body: AuthPostLoginInput, options?: CallOptions): Promise<AuthPostLoginAnswer>;
  logout: {
    /** End this session. `POST /api/auth/logout`. */
    (options?: CallOptions): Promise<void>;
    /** End every session of the account. `POST /api/auth/logout/all`. */
    all(options?: CallOptions): Promise<void>;
  };
  /** Who is signed in. `GET /api/auth/me`. */
  me(options?: CallOptions): Promise<AuthGetMeAnswer>;
  /** Rotate the refresh token and get a new access token. `POST /api/auth/refresh`. */
  refresh(body?: AuthPostRefreshInput, options?: CallOptions): Promise<AuthPostLoginAnswer>;
  /** Register as a customer of the shop. `POST /api/auth/register`. */
  register(body: AuthPostRegisterInput, options?: CallOptions): Promise<AuthPostForgotPasswordAnswer>;
  /** Set a new password with the token of a mail. `POST /api/auth/reset-password`. */
  resetPassword(body: AuthPostResetPasswordInput, options?: CallOptions): Promise<void>;
  /** Confirm an address, or accept an invitation, with the token of a mail. `POST /api/auth/verify-email`. */
  verifyEmail(body: AuthPostVerifyEmailInput, options?: CallOptions): Promise<void>;
}

export interface IdentitySystem {
  /** The token that writes with cookies must carry. `GET /api/csrf-token`. */
  csrfToken(query?: SystemGetApiCsrfTokenQuery, options?: CallOptions): Promise<SystemGetApiCsrfTokenAnswer>;
  internal: {
    /** Make the first tenant and its owner, once. `POST /api/internal/setup`. */
    setup(body: SystemPostApiInternalSetupInput, options?: CallOptions): Promise<SystemPostApiInternalSetupAnswer>;
    /** Create the first customer of a tenant, once a tenant, up to an hour after the set-up is completed. `POST /api/internal/setup-customer`. */
    setupCustomer(body: SystemPostApiInternalSetupCustomerInput, options?: CallOptions): Promise<SystemPostApiInternalSetupCustomerAnswer>;
    /** Make the first operator, once. `POST /api/internal/setup-super-admin`. */
    setupSuperAdmin(body: SystemPostApiInternalSetupSuperAdminInput, options?: CallOptions): Promise<SystemPostApiInternalSetupSuperAdminAnswer>;
  };
}

export type IdentityEvents = object;

const adminRoutes = `
2fa.checkDevice POST /2fa/check-device b
2fa.disable POST /2fa/disable b
2fa.enable POST /2fa/enable b
2fa.setup GET /2fa/setup
2fa.verify POST /2fa/verify b
me.permissions GET /me/permissions
rbac.roles.create POST /rbac/roles bk
rbac.roles.get GET /rbac/roles/{}
rbac.roles.list GET /rbac/roles lq
rbac.roles.remove DELETE /rbac/roles/{}
rbac.roles.replace PUT /rbac/roles/{} b
rbac.seed POST /rbac/seed lk
rbac.users.create POST /rbac/users b
rbac.users.list GET /rbac/users lq
rbac.users.remove DELETE /rbac/users/{}
rbac.users.roles POST /rbac/users/{}/roles lbk
rbac.users.roles.list GET /rbac/users/{}/roles lq
rbac.users.roles.remove DELETE /rbac/users/{}/roles/{}
rbac.users.update PATCH /rbac/users/{} b
`;

const authRoutes = `
forgotPassword POST /forgot-password b
idpA GET /idp-a qr
idpA.callback GET /idp-a/callback qr
idpB GET /idp-b qr
idpB.callback GET /idp-b/callback qr
login POST /login b
logout POST /logout
logout.all POST /logout/all
me GET /me
refresh POST /refresh b
register POST /register b
resetPassword POST /reset-password b
verifyEmail POST /verify-email b
`;

const systemRoutes = `
csrfToken GET /api/csrf-token q
internal.setup POST /api/internal/setup b
internal.setupCustomer POST /api/internal/setup-customer b
internal.setupSuperAdmin POST /api/internal/setup-super-admin b
`;

/** Routes and events of identity. */
export const identity: Slice<{ admin: IdentityAdmin; auth: IdentityAuth; system: IdentitySystem }, IdentityEvents> = { plugin: 'identity', routes: { admin: adminRoutes, auth: authRoutes, system: systemRoutes } };

/** Routes of identity for visitors of a shop: without those for staff and operators. */
export const identityStorefront: Slice<{ auth: IdentityAuth; system: IdentitySystem }, IdentityEvents> = { plugin: 'identity', routes: { auth: authRoutes, system: systemRoutes } };

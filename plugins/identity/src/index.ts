import { definePlugin, migrations, peopleErase, peopleExport, quotaUsage, work } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { forgotPassword, resetPassword, verifyEmail } from './account/recovery.ts';
import { register } from './account/register.ts';
import { accountsProvider, operatorsProvider } from './accounts.ts';
import { providerSettings } from './external/oidc.ts';
import { externalSignInRoutes } from './external/sign-in.ts';
import { passwordMail, tidy, tidyPlatform } from './jobs.ts';
import { erasePerson, exportPerson } from './people.ts';
import { queued } from './queued.ts';
import { twoFactorRoutes } from './second-factor/two-factor.ts';
import { authenticatorProvider } from './session/authenticator.ts';
import { csrf, logout, logoutAll, me } from './session/caller.ts';
import { login } from './session/login.ts';
import { refresh } from './session/refresh.ts';
import { setup, setupCustomer, setupSuperAdmin } from './setup.ts';
import { staffUsage } from './staff/quota.ts';
import { roleRoutes } from './staff/roles.ts';
import { selfRoutes } from './staff/self.ts';
import { userRoleRoutes } from './staff/user-roles.ts';
import { userRoutes } from './staff/users.ts';
import { tables } from './tables.ts';

export default definePlugin({
  name: 'identity',
  settings: providerSettings,
  tables,
  migrations: migrations(import.meta.url, [
    '0001_identity.sql',
    '0002_second_factor.sql',
    '0003_identity_providers.sql',
    '0004_function_privileges.sql',
    '0005_mailbox_proof.sql',
  ]),
  auth: [login, refresh, logout, logoutAll, me, register, forgotPassword, resetPassword, verifyEmail, ...externalSignInRoutes],
  system: [csrf, setup, setupCustomer, setupSuperAdmin],
  admin: [...selfRoutes, ...twoFactorRoutes, ...roleRoutes, ...userRoutes, ...userRoleRoutes],
  hooks(h) {
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
    h.on(quotaUsage, staffUsage);
  },
  jobs: { ...work(queued.passwordMail, passwordMail), tidy, tidyPlatform },
  provides: [authenticatorProvider, accountsProvider, operatorsProvider],
  permissions: { 'identity.self.use': 'Own account: second factor, own permissions' },
  errors: {
    tenant_required: { status: 409, title: 'Tenant required' },
    system_role: { status: 409, title: "System role can't be changed" },
    two_factor_on: { status: 409, title: 'Second factor already enabled' },
    two_factor_off: { status: 409, title: 'Second factor not enabled' },
    last_owner: { status: 409, title: "Last owner can't be removed" },
  },
  locales: { ro, en },
});

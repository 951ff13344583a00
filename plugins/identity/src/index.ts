import { definePlugin, migrations, peopleErase, peopleExport, quotaUsage } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { accountsProvider, operatorsProvider } from './accounts.ts';
import { authenticatorProvider } from './authenticator.ts';
import { csrf, logout, logoutAll, me } from './caller.ts';
import { externalSignInRoutes } from './external-sign-in.ts';
import { passwordMail, tidy, tidyPlatform } from './jobs.ts';
import { login } from './login.ts';
import { providerSettings } from './oidc.ts';
import { erasePerson, exportPerson } from './people.ts';
import { forgotPassword, resetPassword, verifyEmail } from './recovery.ts';
import { refresh } from './refresh.ts';
import { register } from './register.ts';
import { roleRoutes } from './roles.ts';
import { selfRoutes } from './self.ts';
import { setup, setupCustomer, setupSuperAdmin } from './setup.ts';
import { staffUsage } from './staff-quota.ts';
import { tables } from './tables.ts';
import { twoFactorRoutes } from './two-factor.ts';
import { userRoleRoutes } from './user-roles.ts';
import { userRoutes } from './users.ts';

export default definePlugin({
  name: 'identity',
  settings: providerSettings,
  tables,
  migrations: migrations(import.meta.url, ['0001_identity.sql', '0002_second_factor.sql', '0003_identity_providers.sql']),
  auth: [login, refresh, logout, logoutAll, me, register, forgotPassword, resetPassword, verifyEmail, ...externalSignInRoutes],
  system: [csrf, setup, setupCustomer, setupSuperAdmin],
  admin: [...selfRoutes, ...twoFactorRoutes, ...roleRoutes, ...userRoutes, ...userRoleRoutes],
  hooks(h) {
    h.on(peopleExport, exportPerson);
    h.on(peopleErase, erasePerson);
    h.on(quotaUsage, staffUsage);
  },
  jobs: { passwordMail, tidy, tidyPlatform },
  provides: [authenticatorProvider, accountsProvider, operatorsProvider],
  permissions: { 'identity.self.use': 'Own account: second factor, own permissions' },
  errors: {
    tenant_required: { status: 409, title: 'The account works for several tenants' },
    system_role: { status: 409, title: 'System roles cannot be changed' },
    two_factor_on: { status: 409, title: 'The second factor is on' },
    two_factor_off: { status: 409, title: 'The account has no second factor' },
    last_owner: { status: 409, title: 'A tenant keeps at least one owner' },
  },
  locales: { ro, en },
});

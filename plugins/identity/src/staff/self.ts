import { type Ctx, f, permissions, route } from '@storeloom/plugin-sdk';

/** What the caller may do, of plugins that are on for the tenant. */
function ownPermissions(ctx: Ctx): string[] {
  return ctx
    .require(permissions)
    .all()
    .filter(({ name, plugin }) => ctx.isOn(plugin) && ctx.can(name))
    .map(({ name }) => name);
}

export const selfRoutes = [
  route(
    'GET',
    '/me/permissions',
    {
      permission: 'identity.self.use',
      summary: 'What the caller may do',
      response: { permissions: f.list(f.text(), { max: 5000 }) },
    },
    async (ctx) => ({ permissions: ownPermissions(ctx) }),
  ),
];

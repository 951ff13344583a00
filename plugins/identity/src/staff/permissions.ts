/** A declared permission, as the kernel lists it. */
export interface Declared {
  readonly name: string;
  readonly plugin: string;
}
export interface RoleGrant {
  readonly name: string;
  readonly system: boolean;
  readonly permissions: readonly string[];
}

export const systemRoles = ['owner', 'manager', 'staff', 'read-only'] as const;
export type SystemRole = (typeof systemRoles)[number];

/** A permission, `*`, or a prefix of whole words: `catalog.*`, `catalog.product.*`. */
export const grantPattern = /^(?:\*|[a-z0-9-]+(?:\.[a-z0-9-]+){2}|[a-z0-9-]+(?:\.[a-z0-9-]+)?\.\*)$/;

/** Whether one grant gives all that another (a name or a wildcard) could give, now and after more plugins are installed. */
export function covers(granted: readonly string[], wanted: string): boolean {
  return granted.some((grant) => grant === wanted || (grant.endsWith('*') && wanted.startsWith(grant.slice(0, -1))));
}
/** Names every declared permission that the grants give. */
export function expand(granted: readonly string[], declared: readonly Declared[]): string[] {
  return declared.filter(({ name }) => covers(granted, name)).map(({ name }) => name);
}
/** True for a declared name, and for a wildcard that some declared permission answers. */
export function isKnown(grant: string, declared: readonly Declared[]): boolean {
  return grantPattern.test(grant) && (grant === '*' || declared.some(({ name }) => covers([grant], name)));
}

const self = 'identity.self.use';
/** What moves money, points, credit or stock, or takes things away, is given by name only. */
const guarded = new Set(
  'delete refund cancel force discount adjust issue payout mark-paid review approve void export erase import activate rotate-secret'.split(
    ' ',
  ),
);
/** Who may do what, which plugins there are, and the licence: the owner's. */
const administration = new Set(['identity', 'platform']);
/** What staff may look at only: settings of the shop, and where its events are sent, which may be more than they may read. */
const lookOnly = new Set(['workspace', 'webhooks']);

const verb = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** Returns the grants of a system role, derived from the declared permissions, so that a plugin installed later is included. */
export function systemGrants(role: SystemRole, declared: readonly Declared[]): string[] {
  const reads = declared.filter(({ name }) => verb(name) === 'read').map(({ name }) => name);
  const outside = declared.filter(({ plugin }) => !administration.has(plugin));
  switch (role) {
    case 'owner':
      return ['*'];
    case 'manager':
      return [...new Set([...outside.map(({ plugin }) => `${plugin}.*`), ...reads, self])];
    case 'staff': {
      const daily = outside.filter(
        ({ name, plugin }) => verb(name) === 'read' || (!lookOnly.has(plugin) && !guarded.has(verb(name))),
      );
      return [...new Set([...daily.map(({ name }) => name), 'workspace.notification.update', self])];
    }
    case 'read-only':
      return [...new Set([...reads, self])];
  }
}

export function grantsOf(role: RoleGrant, declared: readonly Declared[]): readonly string[] {
  return role.system ? systemGrants(role.name as SystemRole, declared) : role.permissions;
}
/** Union of the roles' grants. */
export function unionOf(roles: readonly RoleGrant[], declared: readonly Declared[]): string[] {
  return [...new Set(roles.flatMap((role) => grantsOf(role, declared)))];
}

import { service } from '../token.ts';

/** Lists the permissions of the loaded plugins. For foundation plugins. */
export interface Permissions {
  /** Returns every permission with its plugin and title. */
  all(): readonly { name: string; plugin: string; title: string }[];
}
/** Service token of `Permissions`. */
export const permissions = service<Permissions>('kernel:permissions');

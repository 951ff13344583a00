import { service } from '../token.ts';

export interface Permissions {
  /** Every permission that plugins declare: name → plugin and title. */
  all(): readonly { name: string; plugin: string; title: string }[];
}
export const permissions = service<Permissions>('kernel:permissions');

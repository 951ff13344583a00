import { service } from '@storeloom/plugin-sdk';

export interface Workspace {
  /** Tells staff: in-app notification. */
  notify(notification: {
    type: string;
    title: Record<string, string>;
    body: Record<string, string>;
    link?: string;
    userIds?: string[];
  }): Promise<void>;
  /** Changes the shop's currency; 409 `base_currency_locked` after the first order. Call it last. */
  setCurrency(code: string): Promise<void>;
}
export const workspace = service<Workspace>('workspace:workspace');

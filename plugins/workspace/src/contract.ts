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
}
export const workspace = service<Workspace>('workspace:workspace');

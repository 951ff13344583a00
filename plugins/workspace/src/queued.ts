import { job } from '@storeloom/plugin-sdk';

export interface PushMessage {
  type: string;
  title: Record<string, string>;
  body: Record<string, string>;
  link?: string;
}

/** Jobs that are queued with data. */
export const queued = {
  push: job<{ subscription: string; message: PushMessage }>('push'),
};

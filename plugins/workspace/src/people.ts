import { personalTaps } from '@storeloom/plugin-sdk/people';
import { personalMetafields } from './metafields.ts';
import { personalNotifications } from './notifications.ts';
import { personalSubscriptions } from './push-subscribe.ts';

export const { exportPerson, erasePerson } = personalTaps(personalNotifications, personalSubscriptions, personalMetafields);

import { definePlugin } from '@storeloom/plugin-sdk';

export default definePlugin({ name: 'checkout' });

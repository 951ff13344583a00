import type { tenantConfigCollect, themes } from '@storeloom/plugin-platform/contract';
import { token } from '@storeloom/plugin-sdk';

/** What the workspace asks of plugin platform, and tells it. */
export const tenantConfigHook = token<typeof tenantConfigCollect>('platform:tenant-config.collect');
export const themesService = token<typeof themes>('platform:themes');

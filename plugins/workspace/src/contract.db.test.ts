import { contractTest } from '@storeloom/plugin-sdk/testing';
import { workspace as service } from './contract.ts';
import workspace from './index.ts';

contractTest(workspace, {
  async fill(shop) {
    for (const tenant of [shop.a, shop.b])
      await tenant.run('workspace', (ctx) =>
        ctx.require(service).notify({ type: 'test', title: { ro: 'Salut', en: 'Hello' }, body: { ro: 'Text', en: 'Text' } }),
      );
  },
});

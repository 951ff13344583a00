import { type InstallationOptions, open, say } from './installation.ts';
import type { Lifetime } from './lifetime.ts';

/** Serves. It never migrates: pending core migrations stop it, a plugin's make that plugin `failed`. */
export async function start(options: InstallationOptions, life: Lifetime): Promise<number> {
  const prepared = await open(options, life, say, { serves: true });
  const kernel = await prepared.start();
  life.onEnd(() => kernel.stop());
  life.signal.throwIfAborted();
  say(`listening on port ${kernel.port}`);
  if ((await kernel.tenants.ids()).length === 0) say(firstShop(kernel.port, prepared.dataDir.file('setup-token.json')));
  const licence = prepared.licence.state();
  if (licence === 'none')
    say('there is no licence: only the foundation plugins are on. storeloom license activate <key>, then start again');
  await life.asked;
  return 0;
}

/** What is left to do on a new installation. */
function firstShop(port: number, tokenFile: string): string {
  const base = `http://localhost:${port}`;
  return `
There is no shop yet. The setup token is in ${tokenFile}, unless SETUP_TOKEN gives it. With it, once each:

  the operator    curl -X POST ${base}/api/internal/setup-super-admin -H "X-Setup-Token: $TOKEN" -H 'Content-Type: application/json' \\
                    -d '{"email": "operator@shop.example", "password": "…"}'
  the first shop  curl -X POST ${base}/api/internal/setup -H "X-Setup-Token: $TOKEN" -H 'Content-Type: application/json' \\
                    -d '{"tenant": {"name": "…", "slug": "shop", "host": "shop.example"}, "owner": {"email": "owner@shop.example", "password": "…"}}'
`;
}

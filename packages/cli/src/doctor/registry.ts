import { type Finding, failure, ok } from './finding.ts';

/**
 * Asks the package registry as npm does, and returns its answer: some package managers hide the text of a refusal.
 * @param url Registry of the installation's configuration
 */
export async function checkRegistry(url: string | undefined, token: string | undefined): Promise<Finding[]> {
  if (url === undefined)
    return [failure('registry', 'the configuration names no registry', 'set registry in storeloom.config.ts')];
  const address = new URL('@storeloom%2fcore', url.endsWith('/') ? url : `${url}/`);
  try {
    const response = await fetch(address, {
      headers: { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    if (response.ok) return [ok('registry', `${address.origin} lets this installation install`)];
    const notice = response.headers.get('npm-notice');
    return [
      failure(
        'registry',
        `${address.origin} answered ${response.status}: ${notice ?? text.slice(0, 300)}`,
        token === undefined ? 'set NPM_REGISTRY_TOKEN' : 'follow the answer of the registry',
      ),
    ];
  } catch (error) {
    return [
      failure(
        'registry',
        `${address.origin} can't be reached: ${(error as Error).message}`,
        'check the address, the network and its proxy',
      ),
    ];
  }
}

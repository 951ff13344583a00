import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';

const binary = '/usr/bin/chromium';
/** Why no page is looked at here; undefined where the browser is installed. */
export const withoutChromium = existsSync(binary) ? undefined : `no ${binary} on this machine`;

/** Effects of injected markup in pages; each line names its page. */
export interface Deeds {
  /** `__hit(…)` was called. */
  hits: string[];
  dialogs: string[];
  /** Errors of scripts, and scripts and styles that only a policy has stopped. */
  errors: string[];
  /** Requests to other hosts than this machine's. */
  outside: string[];
  /** The page went elsewhere, or opened another. */
  away: string[];
}
export const none: Deeds = { hits: [], dialogs: [], errors: [], outside: [], away: [] };

interface Look {
  url: string;
  /** Content type by the browser; undefined where it was a download, or the page went away. */
  type: string | undefined;
  status: number | undefined;
  text: string;
  /** What the expression that was asked for gave. */
  answer: unknown;
}
interface LookOptions {
  /** Of the request for the page itself. */
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds that the page has after it was loaded and touched. */
  wait?: number;
  /** JavaScript that is evaluated at the end. */
  ask?: string;
}
export interface Viewer {
  deeds: Deeds;
  /** Opens an address and does with the page what people can do. */
  open(url: string, options?: LookOptions): Promise<Look>;
  /** The same with many, some at a time. */
  openAll(urls: readonly string[], options?: LookOptions): Promise<Look[]>;
  close(): Promise<void>;
}

/** Focus, pointer and click on everything that has a handler, every address that is none of the web, every button. Gives type and text. */
const provoke = `(() => {
  for (const each of document.querySelectorAll('*')) {
    for (const name of each.getAttributeNames())
      if (/^on/i.test(name)) each.dispatchEvent(new Event(name.slice(2).toLowerCase()));
    const address = typeof each.href === 'object' ? each.href?.baseVal : (each.href ?? each.getAttribute('href'));
    if (address && !/^(https?|mailto|tel):/i.test(address)) each.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    if (each.localName === 'details') each.open = true;
    if (each.localName === 'button') each.click();
  }
  return [document.contentType, (document.documentElement?.textContent ?? '').slice(0, 20_000)];
})()`;

interface Tab {
  page: Page;
  url: string;
  headers: Readonly<Record<string, string>>;
  arrived: boolean;
  /** The page had an effect; its state is undefined, so it isn't used again. */
  disturbed: boolean;
}

/** Addresses that don't leave the machine. */
const ours = (url: string): boolean =>
  /^(data|blob|about|chrome-extension|chrome-error|chrome):/.test(url) ||
  (URL.canParse(url) && /^(127\.0\.0\.1|localhost|.+\.localhost)$/.test(new URL(url).hostname));

/** A headless Chromium that reaches this machine only. */
export async function openViewer(): Promise<Viewer> {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: binary,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--autoplay-policy=no-user-gesture-required'],
  });
  const context = await browser.newContext({ serviceWorkers: 'block' });
  const deeds: Deeds = { hits: [], dialogs: [], errors: [], outside: [], away: [] };
  const tabs = new Map<Page, Tab>();
  const idle: Tab[] = [];
  const note = (list: string[], tab: Tab | undefined, what: string): void => {
    if (tab) tab.disturbed = true;
    list.push(`${tab?.url ?? 'a page that another opened'}: ${what}`);
  };
  await context.exposeBinding('__hit', ({ page }, what: unknown) => note(deeds.hits, tabs.get(page), String(what)));

  async function newTab(): Promise<Tab> {
    const page = await context.newPage();
    const tab: Tab = { page, url: 'about:blank', headers: {}, arrived: false, disturbed: false };
    tabs.set(page, tab);
    page.on('request', (request) => {
      if (!ours(request.url())) note(deeds.outside, tab, `${request.resourceType()} ${request.url()}`);
    });
    await page.route('**/*', (route, request) =>
      ours(request.url())
        ? // What belongs to the caller goes with the page itself, not with what the page asks for.
          route.continue({ headers: { ...request.headers(), ...(request.url() === tab.url ? tab.headers : {}) } })
        : route.abort(),
    );
    page.on('dialog', (dialog) => {
      note(deeds.dialogs, tab, dialog.message());
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => note(deeds.errors, tab, error.message));
    page.on('console', (message) => {
      // A picture that isn't there is an error of the console's, but of no script.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        note(deeds.errors, tab, message.text());
    });
    page.on('popup', (popup) => note(deeds.away, tab, `opened ${popup.url()}`));
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame() || frame.url() === 'about:blank') return;
      // The product may send to another address of its own.
      if (tab.arrived || new URL(frame.url()).origin !== new URL(tab.url).origin) note(deeds.away, tab, `went to ${frame.url()}`);
      tab.arrived = true;
    });
    page.on('download', (download) => void download.cancel());
    return tab;
  }

  async function open(address: string, { headers = {}, wait = 0, ask = 'null' }: LookOptions = {}): Promise<Look> {
    const tab = idle.pop() ?? (await newTab());
    const { page } = tab;
    const url = new URL(address).href;
    Object.assign(tab, { url, headers, arrived: false });
    try {
      const response = await page.goto(url, { waitUntil: 'load', timeout: 30_000 });
      const [type, text] = (await page.evaluate(provoke)) as [string, string];
      // What a browser shows as plain text has nothing that could run a moment later.
      const markup = /html|xml/.test(type);
      if (markup && wait > 0) await page.waitForTimeout(wait);
      return { url, type, text, status: response?.status(), answer: markup ? await page.evaluate(ask) : undefined };
    } catch (error) {
      // A download is no page.
      if (!/Download is starting|ERR_ABORTED/.test(String(error))) {
        if (!/context was destroyed|interrupted by another navigation/.test(String(error))) throw error;
        note(deeds.away, tab, 'left while it was looked at');
      }
      tab.disturbed = true;
      return { url, type: undefined, status: undefined, text: '', answer: undefined };
    } finally {
      if (tab.disturbed) await page.close();
      else idle.push(tab);
    }
  }

  return {
    deeds,
    open,
    async openAll(urls, options) {
      const looks: Look[] = [];
      const left = [...urls.entries()];
      const next = async (): Promise<void> => {
        for (let entry = left.shift(); entry; entry = left.shift()) looks[entry[0]] = await open(entry[1], options);
      };
      await Promise.all(Array.from({ length: 4 }, next));
      return looks;
    },
    close: () => browser.close(),
  };
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** External pages on this machine, by path. */
export interface Pages {
  base: string;
  set(path: string, html: string, type?: string): void;
  close(): Promise<void>;
}

export async function servePages(): Promise<Pages> {
  const pages = new Map<string, [type: string, text: string]>();
  const server = createServer((req, res) => {
    const [type, text] = pages.get(req.url ?? '') ?? [];
    if (type === undefined) res.writeHead(404).end();
    else res.writeHead(200, { 'content-type': type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (path, html, type = 'text/html; charset=utf-8') => void pages.set(path, [type, html]),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>Shop</title></head><body>${body}</body></html>`;

/** As a theme writes HTML into the page that it sends, and as one writes it into a page that is there: text by text in a box of its own. */
export function setTexts(pages: Pages, name: string, texts: readonly string[]): string[] {
  const box = (text: string): string => `<section>${text}</section>`;
  pages.set(`/source/${name}`, page(`<main>${texts.map(box).join('\n')}</main>`));
  pages.set(`/texts/${name}`, JSON.stringify(texts), 'application/json');
  pages.set(
    `/inner/${name}`,
    page(`<main></main><script>
      const request = new XMLHttpRequest();
      request.open('GET', '/texts/${name}', false);
      request.send();
      for (const text of JSON.parse(request.responseText))
        document.querySelector('main').append(Object.assign(document.createElement('section'), { innerHTML: text }));
    </script>`),
  );
  return [`/source/${name}`, `/inner/${name}`];
}

const elements =
  'a,b,blockquote,br,code,div,em,figcaption,figure,h2,h3,h4,hr,i,img,li,ol,p,pre,s,small,span,strong,sub,sup,table,tbody,td,th,thead,tr,u,ul';
const attributes = 'href,title,rel,src,alt,width,height,colspan,rowspan,scope';

/** What the browser sees in the boxes that no text may have; and how many boxes there are. */
export const strangers = `(() => {
  const elements = new Set('${elements}'.split(','));
  const attributes = new Set('${attributes}'.split(','));
  const boxes = [...document.querySelectorAll('main > section')];
  const faults = [];
  boxes.forEach((box, n) => {
    for (const each of box.querySelectorAll('*')) {
      if (!elements.has(each.localName) || each.namespaceURI !== 'http://www.w3.org/1999/xhtml') faults.push(n + ': <' + each.localName + '>');
      for (const name of each.getAttributeNames()) if (!attributes.has(name)) faults.push(n + ': ' + name);
      if (each.localName === 'a' && each.hasAttribute('href') && !/^(https?|mailto|tel):$/.test(each.protocol)) faults.push(n + ': ' + each.href);
      if (each.localName === 'img' && !/^(https?:|$)/.test(each.src)) faults.push(n + ': ' + each.src);
    }
  });
  if (document.baseURI !== location.href) faults.push('base');
  if (document.querySelectorAll('body > *').length !== 1 + document.querySelectorAll('body > script').length) faults.push('outside of the boxes');
  return { boxes: boxes.length, faults };
})()`;

const rates = '<DataSet><Body><Cube date="2026-11-27"><Rate currency="EUR">5.0000</Rate></Cube></Body></DataSet>';
const withType = (declared: string, rate = '5.0000'): string =>
  `<?xml version="1.0"?><!DOCTYPE DataSet ${declared}>${rates.replace('5.0000', rate)}`;

function laughs(levels: number): string {
  const entities = Array.from({ length: levels }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`);
  return `[<!ENTITY l0 "ha">${entities.join('')}]`;
}

/** Hostile documents; `canary` is a URL that must not be requested. Each is shorter than the size limit. */
export function hostileXml(canary: string): [name: string, xml: string][] {
  const filler = 'x'.repeat(120_000);
  return [
    ['a document type', withType('')],
    ['a document type in small letters', withType('').replace('DOCTYPE', 'doctype')],
    ['an entity of its own', withType('[<!ENTITY eur "9.9999">]', '&eur;')],
    ['an external entity', withType(`[<!ENTITY eur SYSTEM "${canary}/entity">]`, '&eur;')],
    ['a file as an entity', withType('[<!ENTITY eur SYSTEM "file:///etc/passwd">]', '&eur;')],
    ['a public entity', withType(`[<!ENTITY eur PUBLIC "-//x//y" "${canary}/public">]`, '&eur;')],
    ['an external subset', withType(`SYSTEM "${canary}/subset.dtd"`)],
    ['a parameter entity', withType(`[<!ENTITY % p SYSTEM "${canary}/parameter"> %p;]`)],
    ['billion laughs', withType(laughs(10), '&l10;')],
    ['quadratic blow-up', withType(`[<!ENTITY a "${'a'.repeat(50_000)}">]`, '&a;'.repeat(20_000))],
    ['an included document', `<x xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="${canary}/include"/></x>`],
    ['a style sheet', `<?xml-stylesheet href="${canary}/style.xsl"?><DataSet/>`],
    ['a schema elsewhere', `<DataSet xmlns:s="x" s:schemaLocation="x ${canary}/schema.xsd"/>`],
    ['deep nesting', '<a>'.repeat(40_000)],
    ['deep nesting that is closed', `${'<a>'.repeat(17_000)}${'</a>'.repeat(17_000)}`],
    ['a huge attribute', `<DataSet><Body><Cube date="${filler}"/></Body></DataSet>`],
    ['a huge attribute that never ends', `<DataSet><Body><Cube date="${filler}`],
    ['ten thousand attributes', `<DataSet ${Array.from({ length: 10_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`],
    ['a huge name', `<${filler}/>`],
    ['a comment that never ends', `<DataSet><!--${filler}`],
    ['an instruction that never ends', `<?${filler}`],
    ['characters that never end', `<DataSet><![CDATA[${filler}`],
    ['nothing but openings', '<'.repeat(120_000)],
    ['nothing but ends', '</a>'.repeat(30_000)],
    ['unclosed siblings', '<a b="'.repeat(20_000)],
    ['the prototype', '<DataSet><__proto__><polluted>yes</polluted></__proto__><constructor/></DataSet>'],
    ['no XML', filler],
    ['nothing', ''],
  ];
}

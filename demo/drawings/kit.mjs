// The few shapes and colour sums all drawings are made of. Every function returns a piece of SVG text.
// The canvas is 800 × 800; a drawing keeps inside 100…700 so that nothing touches the frame.

/** Rounds to one decimal, so that the files stay small. */
const n = (x) => String(Math.round(x * 10) / 10);

const channels = (hex) => [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16));

/** Mixes two `#rrggbb` colours; `t` is the share of the second, 0…1. */
export function mix(a, b, t) {
  const [x, y] = [channels(a), channels(b)];
  return (
    '#' +
    x
      .map((v, i) =>
        Math.round(v + (y[i] - v) * t)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')
  );
}

export const dark = (hex, t = 0.25) => mix(hex, '#16181f', t);
export const light = (hex, t = 0.25) => mix(hex, '#ffffff', t);

/** A line colour that shows on `hex`: darker on pale ground, paler on dark ground. */
export function onto(hex, t = 0.35) {
  const [r, g, b] = channels(hex);
  return r * 0.3 + g * 0.59 + b * 0.11 > 70 ? dark(hex, t) : light(hex, t);
}

export const path = (d, fill, more = '') => `<path d="${d}" fill="${fill}"${more && ` ${more}`}/>`;
export const rect = (x, y, w, h, r, fill, more = '') =>
  `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}"${r ? ` rx="${n(r)}"` : ''} fill="${fill}"${more && ` ${more}`}/>`;
export const disc = (x, y, r, fill, more = '') =>
  `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${fill}"${more && ` ${more}`}/>`;
export const oval = (x, y, rx, ry, fill, more = '') =>
  `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(rx)}" ry="${n(ry)}" fill="${fill}"${more && ` ${more}`}/>`;

/** A stroke without fill; `dash` is an SVG dash list. */
export const line = (d, color, width = 5, dash = '') =>
  `<path d="${d}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"${dash && ` stroke-dasharray="${dash}"`}/>`;

/** Draws `s` and its mirror image about the vertical axis x = 400. */
export const pair = (s) => `${s}<g transform="matrix(-1 0 0 1 800 0)">${s}</g>`;

export const turn = (deg, s, x = 400, y = 400) => `<g transform="rotate(${deg} ${x} ${y})">${s}</g>`;
export const move = (x, y, s, scale = 1) =>
  `<g transform="translate(${x} ${y})${scale === 1 ? '' : ` scale(${scale})`}">${s}</g>`;

/** Reads an absolute path of M, L, Q and C into a start point and segments of points. */
function segments(d) {
  const parts = d.match(/[MLQC][^MLQC]*/g) ?? [];
  const points = parts.map((p) => {
    const v = p
      .slice(1)
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    return [...Array(v.length / 2).keys()].map((i) => [v[2 * i], v[2 * i + 1]]);
  });
  return { start: points[0][0], list: points.slice(1), letters: parts.slice(1).map((p) => p[0]) };
}

/** The mirrored half of `d`, walked back from its last point to its first. */
function back(d) {
  const { start, list, letters } = segments(d);
  const ends = [start, ...list.map((s) => s.at(-1))];
  return list
    .map((s, i) => {
      const pts = [...s.slice(0, -1).reverse(), ends[i]].map(([x, y]) => `${n(800 - x)} ${n(y)}`);
      return letters[i] + pts.join(' ');
    })
    .reverse()
    .join('');
}

/** A closed outline that is symmetrical about x = 400, from its left half (top centre to bottom centre). */
export const whole = (d) => `${d}${back(d)}Z`;

/** Only the right half of such an outline. */
function half(d) {
  const { list, start } = segments(d);
  const [x, y] = list.at(-1).at(-1);
  return `M${x} ${y}${back(d)}L${start[0]} ${start[1]}Z`;
}

/** A symmetrical solid: soft shadow, colour, and the right half a shade deeper. */
export const solid = (d, fill, depth = 0.08) =>
  path(whole(d), '#16181f', 'opacity=".12" transform="translate(10 16)"') +
  path(whole(d), fill) +
  path(half(d), '#16181f', `opacity="${depth}"`);

/** Any closed outline with the same soft shadow. */
export const flat = (d, fill) => path(d, '#16181f', 'opacity=".12" transform="translate(10 16)"') + path(d, fill);

/** The shadow a standing thing throws on the table. */
export const floor = (x, y, rx, ry = 18) => oval(x, y, rx, ry, '#16181f', 'opacity=".13"');

const escapeXml = (s) => s.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The finished file: title for screen readers, tinted ground with a disc, and the drawing. */
export const page = (title, ground, content) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 800" role="img"><title>${escapeXml(title)}</title>` +
  rect(0, 0, 800, 800, 0, ground) +
  disc(400, 400, 330, dark(ground, 0.045)) +
  `${content}</svg>\n`;

/** A close-up: the drawing enlarged `k` times with (x, y) moved to the middle; the frame cuts the rest. */
export const close = (s, x, y, k) => `<g transform="translate(400 400) scale(${k}) translate(${-x} ${-y})">${s}</g>`;

// Cups, plates, glass and jars. `c` is the main colour, `a` the accent.
import { dark, disc, flat, floor, light, line, mix, onto, oval, pair, path, rect, solid, whole } from './kit.mjs';

const WOOD = '#b98a5a';

/** Steam over a hot thing: three soft waves that start at height `y`. */
const steam = (y) =>
  [330, 400, 470]
    .map((x) => line(`M${x} ${y}c-24 -30 24 -50 0 -84c-14 -22 4 -40 8 -48`, '#ffffff', 10))
    .join('')
    .replaceAll('/>', ' opacity=".8"/>');

function mug({ c, a = '#ffffff', deco = '', tea = '#5b3a22', hot = true, big = 1 }) {
  const w = 150 * big;
  let s =
    floor(400, 620, w + 40) +
    (hot ? steam(300) : '') +
    line(`M${400 + w - 8} 372C${400 + w + 120} 350 ${400 + w + 120} 540 ${400 + w - 20} 530`, dark(c, 0.12), 32);
  s += solid(`M400 330L${400 - w} 330L${400 - w + 8} 560Q${400 - w + 20} 614 ${400 - w + 90} 616L400 616`, c, 0.07);
  if (deco === 'dip')
    s += path(
      whole(
        `M400 470Q${400 - w * 0.5} 500 ${400 - w + 5} 470L${400 - w + 8} 560Q${400 - w + 20} 614 ${400 - w + 90} 616L400 616`,
      ),
      a,
    );
  if (deco === 'bands')
    s +=
      path(whole(`M400 410Q${400 - w * 0.5} 410 ${400 - w + 3} 396L${400 - w + 4} 424Q${400 - w * 0.5} 440 400 440`), a) +
      path(whole(`M400 462Q${400 - w * 0.5} 462 ${400 - w + 5} 450L${400 - w + 5} 462Q${400 - w * 0.5} 476 400 476`), a);
  if (deco === 'leaf')
    s +=
      line('M400 580C396 520 400 460 420 400', a, 7) +
      [
        [404, 540, -1],
        [400, 500, 1],
        [402, 460, -1],
        [410, 428, 1],
      ]
        .map(([x, y, k]) => path(`M${x} ${y}q${k * 20} -40 ${k * 66} -40q-${k > 0 ? 10 : -10} 40 ${-k * 66} 40Z`, a))
        .join('');
  if (deco === 'dots')
    for (let i = 0; i < 12; i++)
      s += disc(400 - w + 50 + (i % 4) * ((2 * w - 100) / 3), 400 + Math.floor(i / 4) * 62 + (i % 2) * 20, 13, a);
  return s + oval(400, 330, w, 34, light(c, 0.12)) + oval(400, 332, w - 16, 25, dark(c, 0.3)) + oval(400, 338, w - 26, 18, tea);
}

function plates({ c, a = '#8aa0a8', single = false, oven = false }) {
  if (single)
    return (
      disc(410, 416, 260, '#16181f', 'opacity=".12"') +
      disc(400, 400, 260, c) +
      disc(400, 400, 244, a) +
      disc(400, 400, 230, c) +
      disc(400, 400, 168, dark(c, 0.06)) +
      disc(400, 400, 158, light(c, 0.25)) +
      path('M196 330A216 216 0 0 1 300 212', 'none', 'stroke="#fff" stroke-width="10" stroke-linecap="round" opacity=".7"')
    );
  let s = floor(400, 610, 280);
  for (let i = 0; i < 4; i++) {
    const y = 560 - i * 34;
    s += path(
      `M140 ${y}Q400 ${y + 40} 660 ${y}Q640 ${y + 34} 540 ${y + 48}L260 ${y + 48}Q160 ${y + 34} 140 ${y}Z`,
      i % 2 ? dark(c, 0.1) : dark(c, 0.04),
    );
  }
  s +=
    oval(400, 452, 262, 62, c) + oval(400, 452, 252, 57, a) + oval(400, 452, 240, 52, c) + oval(400, 456, 170, 34, dark(c, 0.07));
  return (
    s +
    (oven
      ? ''
      : path('M276 330h248q-6 84 -84 112h-80q-78 -28 -84 -112Z', mix(c, a, 0.18)) +
        path('M400 330h124q-6 84 -84 112h-40Z', '#16181f', 'opacity=".06"') +
        oval(400, 330, 124, 28, light(c, 0.2)) +
        oval(400, 334, 110, 21, dark(c, 0.16)) +
        line('M284 366Q400 400 516 366', a, 5))
  );
}

function bowl({ c, a = '#ffffff', food = '' }) {
  let s =
    floor(400, 600, 190) +
    path('M330 560h140l12 40h-164Z', dark(c, 0.25)) +
    solid('M400 360L156 360C160 480 250 576 340 584L400 584', c, 0.07);
  s +=
    path(whole('M400 420Q250 420 160 394L168 424Q260 456 400 456'), a) +
    oval(400, 360, 244, 56, light(c, 0.12)) +
    oval(400, 364, 226, 46, dark(c, 0.28));
  if (food === 'fruit')
    s +=
      disc(320, 320, 62, '#c2452d') +
      disc(428, 304, 68, '#d9a13a') +
      disc(500, 340, 50, '#7d9a4a') +
      line('M320 262q6 -26 24 -34', '#5a3d2b', 7) +
      path('M176 364Q400 440 624 364Q600 410 400 416Q200 410 176 364Z', dark(c, 0.1));
  return s;
}

function glasses({ c = '#bcd3d6', a = '#d9a13a', carafe = false }) {
  const cup = (x, y, w, h, t) =>
    path(`M${x - w} ${y}h${2 * w}l-${w * 0.22} ${h}q-4 12 -20 12h-${2 * w - w * 0.44 - 40}q-16 0 -20 -12Z`, c, 'opacity=".55"') +
    path(
      `M${x - w + w * 0.22 * t} ${y + h * t}h${2 * w - w * 0.44 * t}l-${w * 0.22 * (1 - t) - 3} ${h * (1 - t)}h-${2 * w - w * 0.44 - 6}Z`,
      a,
      'opacity=".75"',
    ) +
    oval(x, y, w, w * 0.16, light(c, 0.5)) +
    rect(x - w * 0.66, y + 26, 12, h * 0.6, 6, '#ffffff', 'opacity=".7"');
  if (!carafe) return floor(330, 590, 130) + floor(500, 620, 130) + cup(320, 300, 104, 270, 0.35) + cup(494, 350, 100, 254, 0.5);
  const s =
    floor(400, 648, 180) +
    path(
      'M340 170h120l-6 130c70 60 110 150 92 270q-10 66 -60 70h-172q-50 -4 -60 -70c-18 -120 22 -210 92 -270Z',
      c,
      'opacity=".6"',
    );
  return (
    s +
    path('M270 440c-14 60 -18 90 -10 140q8 48 50 52h180q42 -4 50 -52c8 -50 4 -80 -10 -140Q400 470 270 440Z', a, 'opacity=".75"') +
    oval(400, 170, 62, 12, light(c, 0.5)) +
    rect(362, 112, 76, 74, 10, WOOD) +
    line('M296 520C290 460 310 400 344 350', '#ffffff', 11).replace('/>', ' opacity=".75"/>')
  );
}

function teapot({ c, a = WOOD }) {
  let s =
    floor(400, 600, 230) +
    line('M232 400C110 380 120 560 250 540', dark(c, 0.14), 30) +
    flat('M540 460C610 450 620 380 660 340L706 352C690 420 670 530 560 550Z', dark(c, 0.1));
  s +=
    solid('M400 330C290 330 220 400 220 480C220 550 280 592 340 594L400 594', c) +
    solid('M400 286C340 288 306 310 300 342Q340 354 400 354', light(c, 0.1)) +
    disc(400, 274, 20, a);
  return s + line('M262 470C264 420 300 390 330 378', light(c, 0.5), 10) + line('M226 500Q400 540 574 500', onto(c, 0.2), 5);
}

function jar({ c, a = WOOD, fill = '#d9c08a', label = true, clip = false, set = false }) {
  const one = (x, y, w, h, f) => {
    let s =
      rect(x - w, y, 2 * w, h, 34, '#c9d8d8', 'opacity=".75"') + rect(x - w + 12, y + h * 0.3, 2 * w - 24, h * 0.7 - 12, 24, f);
    for (let i = 0; i < 14; i++)
      s += oval(x - w + 34 + ((i * 53) % (2 * w - 68)), y + h * 0.36 + ((i * 37) % (h * 0.5)), 9, 6, dark(f, 0.14));
    s +=
      rect(x - w + 14, y - 34, 2 * w - 28, 40, 10, a) +
      (clip
        ? line(`M${x - w + 6} ${y + 40}V${y + 4}H${x + w - 6}V${y + 40}`, '#9aa1a6', 9) +
          rect(x - 16, y - 4, 32, 48, 6, '#9aa1a6')
        : '') +
      rect(x - w + 22, y + 26, 12, h - 80, 6, '#ffffff', 'opacity=".65"');
    return (
      s +
      (label
        ? rect(x - w * 0.55, y + h * 0.46, w * 1.1, h * 0.26, 6, '#f6f1e4') +
          line(`M${x - w * 0.35} ${y + h * 0.56}h${w * 0.7}M${x - w * 0.35} ${y + h * 0.63}h${w * 0.45}`, dark(c, 0.3), 6)
        : '')
    );
  };
  if (!set) return floor(400, 646, 180) + one(400, 250, 150, 390, fill);
  return (
    floor(400, 616, 290) + one(220, 400, 94, 210, '#c98a45') + one(580, 360, 98, 250, '#8f9f62') + one(400, 270, 112, 340, fill)
  );
}

function tin({ c, a = WOOD, bread = false, lunch = false }) {
  if (bread)
    return (
      floor(400, 596, 300) +
      flat('M120 380Q120 250 250 250L550 250Q680 250 680 380L680 560Q680 590 650 590L150 590Q120 590 120 560Z', c) +
      rect(104, 356, 592, 46, 14, a) +
      line('M150 340Q160 290 230 286', light(c, 0.5), 9) +
      rect(340, 456, 120, 56, 8, light(c, 0.55)) +
      line('M362 484h76', dark(c, 0.3), 7) +
      rect(360, 330, 80, 30, 12, dark(a, 0.2))
    );
  if (lunch)
    return (
      floor(400, 586, 270) +
      flat('M160 380L640 380L624 560Q620 580 596 580L204 580Q180 580 176 560Z', c) +
      rect(144, 330, 512, 66, 22, a) +
      pair(rect(150, 350, 40, 120, 10, dark(a, 0.25))) +
      line('M240 430H560', light(c, 0.4), 7) +
      line('M230 352H560', light(a, 0.3), 6) +
      path('M380 520q20 -60 70 -60q0 60 -70 60Z', light(c, 0.35))
    );
  const s =
    floor(400, 640, 170) +
    solid('M400 260L260 260L260 610Q264 636 300 638L400 638', c) +
    rect(246, 214, 308, 62, 14, a) +
    rect(300, 380, 200, 120, 10, light(c, 0.6)) +
    line('M330 424H470M330 460H430', dark(c, 0.35), 8);
  return s + disc(400, 200, 22, dark(a, 0.25)) + rect(282, 300, 12, 270, 6, '#ffffff', 'opacity=".35"');
}

export const tableware = { mug, plates, bowl, glasses, teapot, jar, tin };

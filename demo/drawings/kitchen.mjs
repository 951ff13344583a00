// Pots, pans and knives. `c` is the main colour, `a` the accent.
import { close, dark, disc, flat, floor, light, line, mix, oval, pair, path, rect, solid, turn } from './kit.mjs';

const STEEL = '#c5cacd';

const WOOD = '#b98a5a';

const KNIVES = {
  chef: 'M366 90C424 190 440 320 438 470L366 470Z',
  bread: 'M372 76Q420 90 424 130L430 470L372 470Z',
  paring: 'M374 240C410 300 420 380 418 470L374 470Z',
  santoku: 'M360 130L366 130C420 150 436 190 436 240L436 470L360 470Z',
};

function pot({ c, a = '#d9b26a', h = 190, w = 210, enamel = '#efe9dc' }) {
  const y = 610 - h;
  let s =
    floor(400, 616, w + 40) +
    pair(path(`M${400 - w + 6} ${y + 30}h-54q-22 0 -22 22v16q0 22 22 22h54v-22h-46q-6 0 -6 -6v-4q0 -6 6 -6h46Z`, dark(c, 0.2)));
  s += solid(`M400 ${y}L${400 - w} ${y}L${400 - w + 8} 560Q${400 - w + 14} 606 ${400 - w + 66} 610L400 610`, c);
  s += solid(
    `M400 ${y - 74}C${400 - w * 0.6} ${y - 74} ${400 - w + 10} ${y - 40} ${400 - w - 4} ${y}L400 ${y}`,
    mix(c, '#ffffff', 0.06),
  );
  s +=
    rect(400 - w - 12, y - 8, w * 2 + 24, 18, 9, dark(c, 0.22)) +
    rect(388, y - 94, 24, 26, 4, dark(a, 0.2)) +
    oval(400, y - 100, 36, 18, a);
  return (
    s +
    line(`M${400 - w * 0.62} ${y - 42}Q${400 - w * 0.4} ${y - 58} ${400 - w * 0.2} ${y - 60}`, light(c, 0.45), 9) +
    rect(400 - w + 22, y + 36, 12, h - 90, 6, enamel, 'opacity=".35"')
  );
}

function pan({ c, a = WOOD, inner = '', two = false, wok = false, grill = false }) {
  const inn = inner || dark(c, 0.35);
  let s = turn(
    -38,
    flat('M560 384L736 376Q756 378 756 400Q756 422 736 424L560 416Z', a) +
      disc(728, 400, 9, '#ffffff', 'opacity=".55"') +
      path('M556 378h40v44h-40Z', dark(c, 0.3)),
    360,
    430,
  );
  if (two)
    s +=
      path('M180 400a40 40 0 0 0 0 70l20 -14v-44Z', dark(c, 0.3)) +
      path('M128 398h50v76h-50q-24 0 -24 -38q0 -38 24 -38Z', dark(c, 0.3));
  s +=
    disc(368, 446, 216, '#16181f', 'opacity=".12"') +
    disc(360, 430, 216, c) +
    disc(360, 430, 196, inn) +
    disc(360, 430, wok ? 96 : 168, light(inn, 0.07));
  if (wok)
    s += disc(360, 430, 150, 'none', `stroke="${light(inn, 0.12)}" stroke-width="4"`) + disc(360, 430, 60, light(inn, 0.12));
  if (grill)
    for (let y = 300; y <= 560; y += 32)
      s += line(
        `M${360 - Math.sqrt(168 ** 2 - (y - 430) ** 2) + 14} ${y}H${360 + Math.sqrt(168 ** 2 - (y - 430) ** 2) - 14}`,
        dark(inn, 0.35),
        10,
      );
  return (
    s +
    path(
      'M214 372A160 160 0 0 1 330 276',
      'none',
      `stroke="${light(inn, 0.4)}" stroke-width="11" stroke-linecap="round" opacity=".7"`,
    ) +
    path('M150 390A212 212 0 0 1 280 236', 'none', `stroke="${light(c, 0.3)}" stroke-width="8" stroke-linecap="round"`)
  );
}

function roaster({ c, a = '#efe9dc' }) {
  let s =
    floor(400, 560, 290) +
    pair(path('M150 380h-44q-20 0 -20 20v20q0 20 20 20h60v-22h-54q-6 0 -6 -6v-4q0 -6 6 -6h38Z', dark(c, 0.2)));
  s +=
    flat('M130 360L670 360L650 520Q644 552 612 552L188 552Q156 552 150 520Z', c) +
    path('M130 360L670 360L660 440Q400 470 140 440Z', light(c, 0.08)) +
    rect(116, 346, 568, 26, 13, a);
  s +=
    path('M190 346q20 -70 80 -40q30 -60 90 -20q50 -50 100 0q60 -40 90 10q50 -10 60 50Z', '#c98a45') +
    [
      [250, 326],
      [340, 312],
      [430, 322],
      [520, 316],
      [570, 332],
    ]
      .map(([x, y], i) => oval(x, y, 26, 14, i % 2 ? '#e2b062' : '#a5622c'))
      .join('');
  return s + line('M190 400Q400 424 610 400', light(c, 0.35), 6);
}

function kettle({ c, a = WOOD }) {
  let s =
    floor(400, 626, 200) + line('M280 300C280 130 520 130 520 300', STEEL, 16) + line('M318 196C350 150 450 150 482 196', a, 30);
  s += flat('M560 420C620 400 630 340 650 300L700 290C690 350 680 470 580 520Z', dark(c, 0.12));
  s +=
    solid('M400 282C280 282 220 370 210 480L206 590Q210 618 250 620L400 620', c) +
    solid('M400 250C350 252 322 268 316 294L400 300', light(c, 0.1)) +
    disc(400, 240, 18, a);
  return (
    s +
    line('M248 470C256 400 280 360 316 336', light(c, 0.5), 10) +
    path('M206 574h388v26q-4 20 -44 20h-300q-40 0 -44 -20Z', STEEL)
  );
}

function moka({ c, a = '#2b2a29' }) {
  let s = floor(400, 646, 150) + line('M496 250H590V420', a, 30) + flat('M310 230L270 210L300 300Z', dark(c, 0.2));
  s +=
    solid('M400 220L300 220L334 410L400 410', c, 0.14) +
    solid('M400 440L326 440L284 620Q286 640 310 640L400 640', c, 0.14) +
    rect(318, 404, 164, 40, 6, dark(c, 0.3)) +
    solid('M400 170C340 172 306 196 300 224L400 226', light(c, 0.12)) +
    disc(400, 160, 20, a);
  return (
    s +
    line('M354 226L372 406M446 226L428 406M356 446L336 636M444 446L464 636', dark(c, 0.18), 5) +
    disc(340, 540, 10, dark(c, 0.4))
  );
}

function knife({ c = STEEL, a = '#5a3d2b', type = 'chef' }) {
  const [x, w] = type === 'paring' ? [376, 36] : type === 'santoku' ? [366, 46] : [372, 42];
  let s = flat(KNIVES[type], c) + path(`M${x + 16} 160L${x + 16} 466L${x} 466L${x} 300Z`, '#ffffff', 'opacity=".45"');
  if (type === 'bread')
    for (let y = 140; y < 464; y += 20) s += path(`M${423 + (y - 130) * 0.02} ${y}l10 10l-9 10Z`, light(c, 0.3));
  s +=
    rect(x - 4, 466, w + 8, 30, 3, dark(c, 0.28)) +
    path(`M${x - 2} 496h${w + 4}l4 150q2 34 -26 34q-30 0 -28 -34Z`, a) +
    [530, 580, 630].map((y) => disc(x + w / 2 + 1, y, 7, light(c, 0.2))).join('');
  return close(turn(type === 'paring' ? 28 : 34, s, 400, 390), 400, 398, 1.22);
}

function knifeset({ c = '#8a5a34', a = '#2b2a29' }) {
  const s =
    floor(410, 640, 190) +
    [280, 340, 400, 460]
      .map(
        (x, i) =>
          path(`M${x} ${250 - i * 22}h34l4 ${100 + i * 10}h-42Z`, a) +
          disc(x + 17, 286 - i * 22, 5, STEEL) +
          disc(x + 17, 326 - i * 22, 5, STEEL),
      )
      .join('');
  return (
    s +
    flat('M230 360L560 300L600 620Q600 634 584 634L262 634Q246 634 244 620Z', c) +
    path('M230 360L560 300L566 348L234 408Z', light(c, 0.18)) +
    line('M262 440L280 620M330 424L344 624M480 400L500 624', dark(c, 0.16), 5)
  );
}

function board({ c = WOOD, a = '#7a5432', round = false }) {
  if (round)
    return (
      disc(410, 436, 236, '#16181f', 'opacity=".12"') +
      disc(400, 420, 236, c) +
      disc(400, 420, 210, light(c, 0.1)) +
      line('M210 380Q400 350 590 380M200 440Q400 470 600 440M240 520Q400 500 560 520', dark(c, 0.14), 5) +
      rect(364, 92, 72, 110, 30, c) +
      disc(400, 130, 17, dark(c, 0.5))
    );
  let s = flat(
    'M220 250Q220 222 248 222L348 222L348 140Q348 96 400 96Q452 96 452 140L452 222L552 222Q580 222 580 250L580 650Q580 682 548 682L252 682Q220 682 220 650Z',
    c,
  );
  s +=
    path(
      'M220 250Q220 222 248 222L300 222L300 682L252 682Q220 682 220 650ZM500 222L552 222Q580 222 580 250L580 650Q580 682 548 682L500 682Z',
      a,
      'opacity=".55"',
    ) + disc(400, 144, 19, dark(c, 0.55));
  return s + line('M340 300V620M376 260V560M430 330V640M466 280V600', dark(c, 0.16), 4);
}

function utensils({ c = WOOD, a = '#4f6b5c' }) {
  let s = floor(400, 660, 150);
  s += turn(-14, rect(346, 190, 16, 260, 6, c) + oval(354, 150, 42, 66, c) + oval(354, 154, 28, 48, dark(c, 0.12)), 354, 460);
  s +=
    rect(392, 150, 16, 300, 6, dark(c, 0.1)) +
    path('M360 90h80v110q0 26 -40 26q-40 0 -40 -26Z', dark(c, 0.06)) +
    line('M382 110v84M400 110v84M418 110v84', dark(c, 0.35), 7);
  s += turn(14, rect(438, 200, 16, 250, 6, c) + path('M412 110q34 -30 68 0v110h-68Z', light(c, 0.08)), 446, 460);
  return (
    s +
    solid('M400 400L282 400L296 630Q300 654 330 656L400 656', a) +
    rect(272, 388, 256, 30, 12, light(a, 0.15)) +
    line('M300 470Q400 490 500 470', light(a, 0.3), 8)
  );
}

function grater({ c = STEEL, a = WOOD }) {
  let s =
    floor(400, 660, 160) +
    line('M330 220C330 120 470 120 470 220', dark(c, 0.2), 18) +
    rect(352, 130, 96, 34, 16, a) +
    solid('M400 210L306 210L256 640L400 650', c, 0.12);
  for (let y = 280; y < 600; y += 46)
    for (let i = 0; i < 5; i++) s += path(`M${326 + i * 34 + (y % 92 ? 10 : 0)} ${y}q12 -14 20 0q-10 10 -20 0Z`, dark(c, 0.5));
  return s + rect(246, 630, 308, 26, 8, dark(c, 0.3));
}

export const kitchen = { pot, pan, roaster, kettle, moka, knife, knifeset, board, utensils, grater };

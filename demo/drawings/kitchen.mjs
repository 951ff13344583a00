// Pots, knives, tableware and jars. `c` is the main colour, `a` the accent.
import { close, dark, disc, flat, floor, light, line, mix, onto, oval, pair, path, rect, solid, turn, whole } from './kit.mjs';

const STEEL = '#c5cacd';
const WOOD = '#b98a5a';

/** Steam over a hot thing: three soft waves that start at height `y`. */
const steam = (y) => [330, 400, 470].map((x) => line(`M${x} ${y}c-24 -30 24 -50 0 -84c-14 -22 4 -40 8 -48`, '#ffffff', 10)).join('').replaceAll('/>', ' opacity=".8"/>');

function pot({ c, a = '#d9b26a', h = 190, w = 210, enamel = '#efe9dc' }) {
  const y = 610 - h;
  let s = floor(400, 616, w + 40) + pair(path(`M${400 - w + 6} ${y + 30}h-54q-22 0 -22 22v16q0 22 22 22h54v-22h-46q-6 0 -6 -6v-4q0 -6 6 -6h46Z`, dark(c, 0.2)));
  s += solid(`M400 ${y}L${400 - w} ${y}L${400 - w + 8} 560Q${400 - w + 14} 606 ${400 - w + 66} 610L400 610`, c);
  s += solid(`M400 ${y - 74}C${400 - w * 0.6} ${y - 74} ${400 - w + 10} ${y - 40} ${400 - w - 4} ${y}L400 ${y}`, mix(c, '#ffffff', 0.06));
  s += rect(400 - w - 12, y - 8, w * 2 + 24, 18, 9, dark(c, 0.22)) + rect(388, y - 94, 24, 26, 4, dark(a, 0.2)) + oval(400, y - 100, 36, 18, a);
  return s + line(`M${400 - w * 0.62} ${y - 42}Q${400 - w * 0.4} ${y - 58} ${400 - w * 0.2} ${y - 60}`, light(c, 0.45), 9) + rect(400 - w + 22, y + 36, 12, h - 90, 6, enamel, 'opacity=".35"');
}

function pan({ c, a = WOOD, inner = '', two = false, wok = false, grill = false }) {
  const inn = inner || dark(c, 0.35);
  let s = turn(-38, flat('M560 384L736 376Q756 378 756 400Q756 422 736 424L560 416Z', a) + disc(728, 400, 9, '#ffffff', 'opacity=".55"') + path('M556 378h40v44h-40Z', dark(c, 0.3)), 360, 430);
  if (two) s += path('M180 400a40 40 0 0 0 0 70l20 -14v-44Z', dark(c, 0.3)) + path('M128 398h50v76h-50q-24 0 -24 -38q0 -38 24 -38Z', dark(c, 0.3));
  s += disc(368, 446, 216, '#16181f', 'opacity=".12"') + disc(360, 430, 216, c) + disc(360, 430, 196, inn) + disc(360, 430, wok ? 96 : 168, light(inn, 0.07));
  if (wok) s += disc(360, 430, 150, 'none', `stroke="${light(inn, 0.12)}" stroke-width="4"`) + disc(360, 430, 60, light(inn, 0.12));
  if (grill) for (let y = 300; y <= 560; y += 32) s += line(`M${360 - Math.sqrt(168 ** 2 - (y - 430) ** 2) + 14} ${y}H${360 + Math.sqrt(168 ** 2 - (y - 430) ** 2) - 14}`, dark(inn, 0.35), 10);
  return s + path('M214 372A160 160 0 0 1 330 276', 'none', `stroke="${light(inn, 0.4)}" stroke-width="11" stroke-linecap="round" opacity=".7"`) + path('M150 390A212 212 0 0 1 280 236', 'none', `stroke="${light(c, 0.3)}" stroke-width="8" stroke-linecap="round"`);
}

function roaster({ c, a = '#efe9dc' }) {
  let s = floor(400, 560, 290) + pair(path('M150 380h-44q-20 0 -20 20v20q0 20 20 20h60v-22h-54q-6 0 -6 -6v-4q0 -6 6 -6h38Z', dark(c, 0.2)));
  s += flat('M130 360L670 360L650 520Q644 552 612 552L188 552Q156 552 150 520Z', c) + path('M130 360L670 360L660 440Q400 470 140 440Z', light(c, 0.08)) + rect(116, 346, 568, 26, 13, a);
  s += path('M190 346q20 -70 80 -40q30 -60 90 -20q50 -50 100 0q60 -40 90 10q50 -10 60 50Z', '#c98a45') + [[250, 326], [340, 312], [430, 322], [520, 316], [570, 332]].map(([x, y], i) => oval(x, y, 26, 14, i % 2 ? '#e2b062' : '#a5622c')).join('');
  return s + line('M190 400Q400 424 610 400', light(c, 0.35), 6);
}

function kettle({ c, a = WOOD }) {
  let s = floor(400, 626, 200) + line('M280 300C280 130 520 130 520 300', STEEL, 16) + line('M318 196C350 150 450 150 482 196', a, 30);
  s += flat('M560 420C620 400 630 340 650 300L700 290C690 350 680 470 580 520Z', dark(c, 0.12));
  s += solid('M400 282C280 282 220 370 210 480L206 590Q210 618 250 620L400 620', c) + solid('M400 250C350 252 322 268 316 294L400 300', light(c, 0.1)) + disc(400, 240, 18, a);
  return s + line('M248 470C256 400 280 360 316 336', light(c, 0.5), 10) + path('M206 574h388v26q-4 20 -44 20h-300q-40 0 -44 -20Z', STEEL);
}

function moka({ c, a = '#2b2a29' }) {
  let s = floor(400, 646, 150) + line('M496 250H590V420', a, 30) + flat('M310 230L270 210L300 300Z', dark(c, 0.2));
  s += solid('M400 220L300 220L334 410L400 410', c, 0.14) + solid('M400 440L326 440L284 620Q286 640 310 640L400 640', c, 0.14) + rect(318, 404, 164, 40, 6, dark(c, 0.3)) + solid('M400 170C340 172 306 196 300 224L400 226', light(c, 0.12)) + disc(400, 160, 20, a);
  return s + line('M354 226L372 406M446 226L428 406M356 446L336 636M444 446L464 636', dark(c, 0.18), 5) + disc(340, 540, 10, dark(c, 0.4));
}

const KNIVES = {
  chef: 'M366 90C424 190 440 320 438 470L366 470Z',
  bread: 'M372 76Q420 90 424 130L430 470L372 470Z',
  paring: 'M374 240C410 300 420 380 418 470L374 470Z',
  santoku: 'M360 130L366 130C420 150 436 190 436 240L436 470L360 470Z',
};

function knife({ c = STEEL, a = '#5a3d2b', type = 'chef' }) {
  const [x, w] = type === 'paring' ? [376, 36] : type === 'santoku' ? [366, 46] : [372, 42];
  let s = flat(KNIVES[type], c) + path(`M${x + 16} 160L${x + 16} 466L${x} 466L${x} 300Z`, '#ffffff', 'opacity=".45"');
  if (type === 'bread') for (let y = 140; y < 464; y += 20) s += path(`M${423 + (y - 130) * 0.02} ${y}l10 10l-9 10Z`, light(c, 0.3));
  s += rect(x - 4, 466, w + 8, 30, 3, dark(c, 0.28)) + path(`M${x - 2} 496h${w + 4}l4 150q2 34 -26 34q-30 0 -28 -34Z`, a) + [530, 580, 630].map((y) => disc(x + w / 2 + 1, y, 7, light(c, 0.2))).join('');
  return close(turn(type === 'paring' ? 28 : 34, s, 400, 390), 400, 398, 1.22);
}

function knifeset({ c = '#8a5a34', a = '#2b2a29' }) {
  let s = floor(410, 640, 190) + [280, 340, 400, 460].map((x, i) => path(`M${x} ${250 - i * 22}h34l4 ${100 + i * 10}h-42Z`, a) + disc(x + 17, 286 - i * 22, 5, STEEL) + disc(x + 17, 326 - i * 22, 5, STEEL)).join('');
  return s + flat('M230 360L560 300L600 620Q600 634 584 634L262 634Q246 634 244 620Z', c) + path('M230 360L560 300L566 348L234 408Z', light(c, 0.18)) + line('M262 440L280 620M330 424L344 624M480 400L500 624', dark(c, 0.16), 5);
}

function board({ c = WOOD, a = '#7a5432', round = false }) {
  if (round) return disc(410, 436, 236, '#16181f', 'opacity=".12"') + disc(400, 420, 236, c) + disc(400, 420, 210, light(c, 0.1)) + line('M210 380Q400 350 590 380M200 440Q400 470 600 440M240 520Q400 500 560 520', dark(c, 0.14), 5) + rect(364, 92, 72, 110, 30, c) + disc(400, 130, 17, dark(c, 0.5));
  let s = flat('M220 250Q220 222 248 222L348 222L348 140Q348 96 400 96Q452 96 452 140L452 222L552 222Q580 222 580 250L580 650Q580 682 548 682L252 682Q220 682 220 650Z', c);
  s += path('M220 250Q220 222 248 222L300 222L300 682L252 682Q220 682 220 650ZM500 222L552 222Q580 222 580 250L580 650Q580 682 548 682L500 682Z', a, 'opacity=".55"') + disc(400, 144, 19, dark(c, 0.55));
  return s + line('M340 300V620M376 260V560M430 330V640M466 280V600', dark(c, 0.16), 4);
}

function utensils({ c = WOOD, a = '#4f6b5c' }) {
  let s = floor(400, 660, 150);
  s += turn(-14, rect(346, 190, 16, 260, 6, c) + oval(354, 150, 42, 66, c) + oval(354, 154, 28, 48, dark(c, 0.12)), 354, 460);
  s += rect(392, 150, 16, 300, 6, dark(c, 0.1)) + path('M360 90h80v110q0 26 -40 26q-40 0 -40 -26Z', dark(c, 0.06)) + line('M382 110v84M400 110v84M418 110v84', dark(c, 0.35), 7);
  s += turn(14, rect(438, 200, 16, 250, 6, c) + path('M412 110q34 -30 68 0v110h-68Z', light(c, 0.08)), 446, 460);
  return s + solid('M400 400L282 400L296 630Q300 654 330 656L400 656', a) + rect(272, 388, 256, 30, 12, light(a, 0.15)) + line('M300 470Q400 490 500 470', light(a, 0.3), 8);
}

function grater({ c = STEEL, a = WOOD }) {
  let s = floor(400, 660, 160) + line('M330 220C330 120 470 120 470 220', dark(c, 0.2), 18) + rect(352, 130, 96, 34, 16, a) + solid('M400 210L306 210L256 640L400 650', c, 0.12);
  for (let y = 280; y < 600; y += 46) for (let i = 0; i < 5; i++) s += path(`M${326 + i * 34 + (y % 92 ? 10 : 0)} ${y}q12 -14 20 0q-10 10 -20 0Z`, dark(c, 0.5));
  return s + rect(246, 630, 308, 26, 8, dark(c, 0.3));
}

function mug({ c, a = '#ffffff', deco = '', tea = '#5b3a22', hot = true, big = 1 }) {
  const w = 150 * big;
  let s = floor(400, 620, w + 40) + (hot ? steam(300) : '') + line(`M${400 + w - 8} 372C${400 + w + 120} 350 ${400 + w + 120} 540 ${400 + w - 20} 530`, dark(c, 0.12), 32);
  s += solid(`M400 330L${400 - w} 330L${400 - w + 8} 560Q${400 - w + 20} 614 ${400 - w + 90} 616L400 616`, c, 0.07);
  if (deco === 'dip') s += path(whole(`M400 470Q${400 - w * 0.5} 500 ${400 - w + 5} 470L${400 - w + 8} 560Q${400 - w + 20} 614 ${400 - w + 90} 616L400 616`), a);
  if (deco === 'bands') s += path(whole(`M400 410Q${400 - w * 0.5} 410 ${400 - w + 3} 396L${400 - w + 4} 424Q${400 - w * 0.5} 440 400 440`), a) + path(whole(`M400 462Q${400 - w * 0.5} 462 ${400 - w + 5} 450L${400 - w + 5} 462Q${400 - w * 0.5} 476 400 476`), a);
  if (deco === 'leaf') s += line('M400 580C396 520 400 460 420 400', a, 7) + [[404, 540, -1], [400, 500, 1], [402, 460, -1], [410, 428, 1]].map(([x, y, k]) => path(`M${x} ${y}q${k * 20} -40 ${k * 66} -40q-${k > 0 ? 10 : -10} 40 ${-k * 66} 40Z`, a)).join('');
  if (deco === 'dots') for (let i = 0; i < 12; i++) s += disc(400 - w + 50 + (i % 4) * ((2 * w - 100) / 3), 400 + Math.floor(i / 4) * 62 + (i % 2) * 20, 13, a);
  return s + oval(400, 330, w, 34, light(c, 0.12)) + oval(400, 332, w - 16, 25, dark(c, 0.3)) + oval(400, 338, w - 26, 18, tea);
}

function plates({ c, a = '#8aa0a8', single = false, oven = false }) {
  if (single) return disc(410, 416, 260, '#16181f', 'opacity=".12"') + disc(400, 400, 260, c) + disc(400, 400, 244, a) + disc(400, 400, 230, c) + disc(400, 400, 168, dark(c, 0.06)) + disc(400, 400, 158, light(c, 0.25)) + path('M196 330A216 216 0 0 1 300 212', 'none', 'stroke="#fff" stroke-width="10" stroke-linecap="round" opacity=".7"');
  let s = floor(400, 610, 280);
  for (let i = 0; i < 4; i++) { const y = 560 - i * 34; s += path(`M140 ${y}Q400 ${y + 40} 660 ${y}Q640 ${y + 34} 540 ${y + 48}L260 ${y + 48}Q160 ${y + 34} 140 ${y}Z`, i % 2 ? dark(c, 0.1) : dark(c, 0.04)); }
  s += oval(400, 452, 262, 62, c) + oval(400, 452, 252, 57, a) + oval(400, 452, 240, 52, c) + oval(400, 456, 170, 34, dark(c, 0.07));
  return s + (oven ? '' : path('M276 330h248q-6 84 -84 112h-80q-78 -28 -84 -112Z', mix(c, a, 0.18)) + path('M400 330h124q-6 84 -84 112h-40Z', '#16181f', 'opacity=".06"') + oval(400, 330, 124, 28, light(c, 0.2)) + oval(400, 334, 110, 21, dark(c, 0.16)) + line('M284 366Q400 400 516 366', a, 5));
}

function bowl({ c, a = '#ffffff', food = '' }) {
  let s = floor(400, 600, 190) + path('M330 560h140l12 40h-164Z', dark(c, 0.25)) + solid('M400 360L156 360C160 480 250 576 340 584L400 584', c, 0.07);
  s += path(whole('M400 420Q250 420 160 394L168 424Q260 456 400 456'), a) + oval(400, 360, 244, 56, light(c, 0.12)) + oval(400, 364, 226, 46, dark(c, 0.28));
  if (food === 'fruit') s += disc(320, 320, 62, '#c2452d') + disc(428, 304, 68, '#d9a13a') + disc(500, 340, 50, '#7d9a4a') + line('M320 262q6 -26 24 -34', '#5a3d2b', 7) + path('M176 364Q400 440 624 364Q600 410 400 416Q200 410 176 364Z', dark(c, 0.1));
  return s;
}

function glasses({ c = '#bcd3d6', a = '#d9a13a', carafe = false }) {
  const cup = (x, y, w, h, t) => path(`M${x - w} ${y}h${2 * w}l-${w * 0.22} ${h}q-4 12 -20 12h-${2 * w - w * 0.44 - 40}q-16 0 -20 -12Z`, c, 'opacity=".55"') + path(`M${x - w + w * 0.22 * t} ${y + h * t}h${2 * w - w * 0.44 * t}l-${w * 0.22 * (1 - t) - 3} ${h * (1 - t)}h-${2 * w - w * 0.44 - 6}Z`, a, 'opacity=".75"') + oval(x, y, w, w * 0.16, light(c, 0.5)) + rect(x - w * 0.66, y + 26, 12, h * 0.6, 6, '#ffffff', 'opacity=".7"');
  if (!carafe) return floor(330, 590, 130) + floor(500, 620, 130) + cup(320, 300, 104, 270, 0.35) + cup(494, 350, 100, 254, 0.5);
  let s = floor(400, 648, 180) + path('M340 170h120l-6 130c70 60 110 150 92 270q-10 66 -60 70h-172q-50 -4 -60 -70c-18 -120 22 -210 92 -270Z', c, 'opacity=".6"');
  return s + path('M270 440c-14 60 -18 90 -10 140q8 48 50 52h180q42 -4 50 -52c8 -50 4 -80 -10 -140Q400 470 270 440Z', a, 'opacity=".75"') + oval(400, 170, 62, 12, light(c, 0.5)) + rect(362, 112, 76, 74, 10, WOOD) + line('M296 520C290 460 310 400 344 350', '#ffffff', 11).replace('/>', ' opacity=".75"/>');
}

function teapot({ c, a = WOOD }) {
  let s = floor(400, 600, 230) + line('M232 400C110 380 120 560 250 540', dark(c, 0.14), 30) + flat('M540 460C610 450 620 380 660 340L706 352C690 420 670 530 560 550Z', dark(c, 0.1));
  s += solid('M400 330C290 330 220 400 220 480C220 550 280 592 340 594L400 594', c) + solid('M400 286C340 288 306 310 300 342Q340 354 400 354', light(c, 0.1)) + disc(400, 274, 20, a);
  return s + line('M262 470C264 420 300 390 330 378', light(c, 0.5), 10) + line('M226 500Q400 540 574 500', onto(c, 0.2), 5);
}

function jar({ c, a = WOOD, fill = '#d9c08a', label = true, clip = false, set = false }) {
  const one = (x, y, w, h, f) => {
    let s = rect(x - w, y, 2 * w, h, 34, '#c9d8d8', 'opacity=".75"') + rect(x - w + 12, y + h * 0.3, 2 * w - 24, h * 0.7 - 12, 24, f);
    for (let i = 0; i < 14; i++) s += oval(x - w + 34 + ((i * 53) % (2 * w - 68)), y + h * 0.36 + ((i * 37) % (h * 0.5)), 9, 6, dark(f, 0.14));
    s += rect(x - w + 14, y - 34, 2 * w - 28, 40, 10, a) + (clip ? line(`M${x - w + 6} ${y + 40}V${y + 4}H${x + w - 6}V${y + 40}`, '#9aa1a6', 9) + rect(x - 16, y - 4, 32, 48, 6, '#9aa1a6') : '') + rect(x - w + 22, y + 26, 12, h - 80, 6, '#ffffff', 'opacity=".65"');
    return s + (label ? rect(x - w * 0.55, y + h * 0.46, w * 1.1, h * 0.26, 6, '#f6f1e4') + line(`M${x - w * 0.35} ${y + h * 0.56}h${w * 0.7}M${x - w * 0.35} ${y + h * 0.63}h${w * 0.45}`, dark(c, 0.3), 6) : '');
  };
  if (!set) return floor(400, 646, 180) + one(400, 250, 150, 390, fill);
  return floor(400, 616, 290) + one(220, 400, 94, 210, '#c98a45') + one(580, 360, 98, 250, '#8f9f62') + one(400, 270, 112, 340, fill);
}

function tin({ c, a = WOOD, bread = false, lunch = false }) {
  if (bread) return floor(400, 596, 300) + flat('M120 380Q120 250 250 250L550 250Q680 250 680 380L680 560Q680 590 650 590L150 590Q120 590 120 560Z', c) + rect(104, 356, 592, 46, 14, a) + line('M150 340Q160 290 230 286', light(c, 0.5), 9) + rect(340, 456, 120, 56, 8, light(c, 0.55)) + line('M362 484h76', dark(c, 0.3), 7) + rect(360, 330, 80, 30, 12, dark(a, 0.2));
  if (lunch) return floor(400, 586, 270) + flat('M160 380L640 380L624 560Q620 580 596 580L204 580Q180 580 176 560Z', c) + rect(144, 330, 512, 66, 22, a) + pair(rect(150, 350, 40, 120, 10, dark(a, 0.25))) + line('M240 430H560', light(c, 0.4), 7) + line('M230 352H560', light(a, 0.3), 6) + path('M380 520q20 -60 70 -60q0 60 -70 60Z', light(c, 0.35));
  let s = floor(400, 640, 170) + solid('M400 260L260 260L260 610Q264 636 300 638L400 638', c) + rect(246, 214, 308, 62, 14, a) + rect(300, 380, 200, 120, 10, light(c, 0.6)) + line('M330 424H470M330 460H430', dark(c, 0.35), 8);
  return s + disc(400, 200, 22, dark(a, 0.25)) + rect(282, 300, 12, 270, 6, '#ffffff', 'opacity=".35"');
}

export const kitchen = { pot, pan, roaster, kettle, moka, knife, knifeset, board, utensils, grater, mug, plates, bowl, glasses, teapot, jar, tin };

// Pots, tools and the terrace. `c` is the main colour, `a` the accent.
import { dark, disc, flat, floor, light, line, onto, oval, pair, path, rect, solid, turn, whole } from './kit.mjs';

const WOOD = '#b98a5a';
const STEEL = '#aeb5b9';

/** Plants that grow out of (400, y). */
function plant(kind, y, green) {
  const g2 = dark(green, 0.2);
  if (kind === 'cactus') return rect(346, y - 220, 108, 240, 54, green) + rect(276, y - 150, 50, 100, 25, g2) + rect(300, y - 80, 60, 34, 16, g2) + rect(474, y - 180, 46, 100, 23, g2) + rect(440, y - 114, 60, 34, 16, g2) + line(`M376 ${y - 190}V${y}M400 ${y - 204}V${y}M424 ${y - 190}V${y}`, light(green, 0.3), 4) + disc(400, y - 222, 18, '#d9698a');
  if (kind === 'herb') return [[330, -30, -26], [372, -70, -10], [428, -70, 12], [470, -30, 28], [400, -110, 0]].map(([x, dy, r]) => turn(r, line(`M${x} ${y}V${y - 150 + dy}`, g2, 7) + [0, 40, 80, 120].map((k) => oval(x - 22, y - 60 - k + dy / 2, 22, 12, green) + oval(x + 22, y - 76 - k + dy / 2, 22, 12, g2)).join(''), x, y)).join('');
  if (kind === 'flower') return [[310, -150, '#d9698a'], [400, -220, '#e0a33c'], [490, -160, '#c2452d'], [356, -90, '#e7d9f0'], [450, -80, '#d9698a']].map(([x, dy, k]) => line(`M400 ${y}Q${x} ${y + dy / 2} ${x} ${y + dy}`, g2, 7) + [0, 72, 144, 216, 288].map((r) => turn(r, oval(x, y + dy - 24, 16, 24, k), x, y + dy)).join('') + disc(x, y + dy, 13, '#f6dc8a')).join('');
  if (kind === 'trail') return [[250, 150], [310, 220], [360, 130], [450, 170], [510, 240], [560, 140]].map(([x, l], i) => line(`M400 ${y}Q${x} ${y - 60} ${x} ${y + l}`, g2, 6) + [0, 1, 2, 3, 4].map((k) => oval(x + (k % 2 ? 14 : -14), y + l - k * 40, 18, 12, (i + k) % 2 ? green : g2)).join('')).join('');
  return [[-58, 0.9], [-30, 1.08], [0, 1.25], [30, 1.08], [58, 0.9]].map(([r, k], i) => turn(r, path(`M400 ${y}C${400 - 60 * k} ${y - 90 * k} ${400 - 40 * k} ${y - 190 * k} 400 ${y - 230 * k}C${400 + 40 * k} ${y - 190 * k} ${400 + 60 * k} ${y - 90 * k} 400 ${y}Z`, i % 2 ? g2 : green) + line(`M400 ${y - 10}V${y - 200 * k}`, light(green, 0.25), 4), 400, y)).join('');
}

function planter({ c, a = '#6f8f55', green = '#6f8f55', kind = 'leaf', shape = 'classic', deco = '', stand = false }) {
  const y = 410;
  let s = floor(400, 650, 180) + plant(kind, y + 14, green);
  if (stand) s += pair(line('M300 560L270 656', WOOD, 18));
  if (shape === 'classic') s += solid(`M400 ${y + 50}L270 ${y + 50}L304 626Q308 644 330 644L400 644`, c) + rect(252, y, 296, 60, 10, light(c, 0.08)) + rect(252, y + 48, 296, 12, 0, dark(c, 0.2));
  else if (shape === 'cylinder') s += solid(`M400 ${y}L268 ${y}L268 ${stand ? 570 : 624}Q270 ${stand ? 592 : 646} 292 ${stand ? 592 : 646}L400 ${stand ? 592 : 646}`, c) + oval(400, y, 132, 16, dark(c, 0.3));
  else s += solid(`M400 ${y}L300 ${y}C240 ${y + 60} 240 ${y + 170} 310 636Q316 646 330 646L400 646`, c) + rect(290, y - 16, 220, 34, 14, light(c, 0.1));
  if (deco === 'band') s += path(whole('M400 540L288 530L292 566L400 578'), light(c, 0.4));
  if (deco === 'lines') s += line('M300 480V630M340 480V636M380 480V640M420 480V640M460 480V636M500 480V630', onto(c, 0.2), 6);
  return s + (a !== green ? rect(230, 640, 340, 24, 12, a) : '');
}

function box({ c, a = '#6f8f55', legs = false, rail = false }) {
  let s = floor(400, legs ? 690 : 610, 300);
  // A row of simple flowers: a full plant each would make the file three times as large.
  [170, 246, 322, 400, 478, 554, 630].forEach((x, i) => {
    const y = 250 + ((i * 47) % 80);
    const k = ['#d9698a', '#e0a33c', '#c2452d', '#efe3f3'][i % 4];
    s += line(`M${x} 392V${y}`, dark(a, 0.2), 7) + oval(x - 22, 350, 26, 13, a) + oval(x + 22, 330, 26, 13, dark(a, 0.2)) + [0, 90, 180, 270].map((r) => turn(r, disc(x, y - 20, 20, k), x, y)).join('') + disc(x, y, 14, '#f6dc8a');
  });
  s += flat('M110 390L690 390L670 590Q668 604 650 604L150 604Q132 604 130 590Z', c) + line('M120 460H680M126 532H674', dark(c, 0.22), 5) + rect(96, 376, 608, 34, 8, light(c, 0.12));
  if (rail) s += line('M200 380V320H180M600 380V320H620', '#3b3f45', 14);
  return s + (legs ? path('M150 604h36v90h-36ZM614 604h36v90h-36Z', dark(c, 0.25)) : '');
}

function hanging({ c, a = '#6f8f55', macrame = true }) {
  const cord = macrame ? '#c9b68e' : '#5a5a58';
  return disc(400, 92, 18, 'none', `stroke="${cord}" stroke-width="8"`) + line('M400 110L270 430M400 110L530 430M400 110V420', cord, 7) + solid('M400 420L262 420C264 520 320 596 400 596', c) + rect(250, 402, 300, 32, 12, light(c, 0.1)) + plant('trail', 404, a) + (macrame ? line('M400 596V690M384 600L376 676M416 600L424 676', cord, 6) : '');
}

function wateringcan({ c, a = '#d9b26a', long = false }) {
  let s = floor(420, 630, 220) + line('M470 330C480 200 660 230 620 400C610 460 590 500 560 530', dark(c, 0.2), 24);
  s += long ? flat('M330 560C240 500 210 380 160 220L182 210C240 340 270 420 340 470Z', dark(c, 0.1)) + oval(170, 216, 20, 8, a) : flat('M330 540L170 330L200 306L350 440Z', dark(c, 0.1)) + turn(-48, path('M140 270h84l26 50h-136Z', a), 182, 300);
  return s + flat('M330 350L560 350L584 600Q584 624 556 624L334 624Q306 624 308 600Z', c) + path('M450 350L560 350L584 600Q584 624 556 624L450 624Z', '#16181f', 'opacity=".07"') + oval(445, 350, 116, 20, dark(c, 0.35)) + path('M329 350Q340 300 445 300Q445 340 446 352Z', light(c, 0.1)) + line('M318 560H574', light(c, 0.3), 7);
}

function tool({ c = STEEL, a = WOOD, type = 'trowel' }) {
  const heads = {
    trowel: flat('M400 640C330 590 326 500 340 430L460 430C474 500 470 590 400 640Z', c) + path('M400 630C440 590 456 500 446 434L400 434Z', dark(c, 0.15)),
    fork: line('M350 440V620M400 440V650M450 440V620', c, 20) + path('M336 440q0 -30 64 -34q64 4 64 34Z', c),
    rake: rect(250, 560, 300, 24, 8, c) + [262, 300, 338, 376, 414, 452, 490, 528].map((x) => rect(x, 576, 14, 70, 6, dark(c, 0.15))).join('') + line('M400 440V560', c, 16),
    spade: flat('M320 430L480 430L480 560C480 610 440 640 400 654C360 640 320 610 320 560Z', c) + path('M400 430h80v130c0 50 -40 80 -80 94Z', dark(c, 0.15)),
    dibber: flat('M372 420L428 420L404 660L396 660Z', c) + line('M378 470h44M382 520h36M386 570h28', dark(c, 0.4), 5),
  };
  const d = type === 'spade' || type === 'rake';
  const grip = d ? rect(387, 150, 26, 290, 8, a) + path('M330 110h140v26q0 44 -44 44h-52q-44 0 -44 -44Z', dark(a, 0.3)) + rect(362, 132, 76, 20, 8, light(a, 0.5)) : rect(390, 330, 20, 110, 4, dark(c, 0.2)) + path('M374 140q26 -24 52 0l6 160q0 40 -32 40q-32 0 -32 -40Z', a) + disc(400, 160, 8, dark(a, 0.5)) + rect(368, 296, 64, 14, 4, dark(a, 0.25));
  return turn(d ? 18 : 32, grip + heads[type], 400, 400);
}

function secateurs({ c = '#c2452d', a = STEEL, shears = false }) {
  const reach = shears ? 90 : 0;
  let s = turn(-14, path('M396 400L352 640Q340 690 372 690Q398 690 402 650L424 410Z', c), 400, 390) + turn(14, path('M404 400L448 640Q460 690 428 690Q402 690 398 650L376 410Z', dark(c, 0.15)), 400, 390);
  s += flat(`M384 400L372 330C356 ${270 - reach} 380 ${180 - reach} 424 ${130 - reach * 0.5}C440 ${210 - reach} 430 300 424 400Z`, a) + path(`M420 404L440 340C470 300 460 ${240 - reach} 440 ${200 - reach}C420 ${250 - reach} 400 320 388 400Z`, dark(a, 0.22));
  return turn(24, s + disc(404, 398, 24, '#4a4f55') + disc(404, 398, 9, light(a, 0.3)) + line('M372 500Q400 470 430 500', '#6f767b', 8), 400, 400);
}

function gardengloves({ c, a = '#8a5a34' }) {
  const one = flat('M240 560L226 320C224 290 258 286 262 318L266 240C268 210 304 210 304 240L308 220C310 192 346 194 346 224L344 260C350 236 382 240 380 270L374 392L404 338C422 312 454 332 442 362L396 466C384 492 376 510 374 560Z', c) + path('M226 320C224 290 258 286 262 318L264 330L304 330L306 330L344 330L378 340L374 392L404 338C422 312 454 332 442 362L410 434Q330 470 234 430Z', a) + path('M230 546h152v90h-152Z', dark(c, 0.2)) + line('M234 590h144', light(c, 0.4), 8);
  return `<g transform="translate(-40 0)">${turn(-6, one, 310, 420)}</g><g transform="matrix(-1 0 0 1 840 0)">${turn(-6, one, 310, 420)}</g>`;
}

function hose({ c, a = '#e0a33c' }) {
  let s = floor(400, 640, 240);
  for (const r of [220, 186, 152, 118]) s += disc(400, 410, r, 'none', `stroke="${r % 4 ? dark(c, 0.12) : c}" stroke-width="28"`) + disc(400, 410, r + 5, 'none', `stroke="${light(c, 0.35)}" stroke-width="4"`);
  return s + line('M560 560C620 620 660 560 640 500', c, 28) + turn(-14, rect(616, 420, 48, 80, 10, '#3b3f45') + path('M610 380h60l-8 44h-44Z', a) + rect(604, 360, 72, 24, 8, dark(a, 0.2)), 640, 460) + pair(rect(300, 296, 26, 60, 8, '#3b3f45'));
}

function seeds({ c, a = '#c2452d', tray = false }) {
  if (tray) {
    let s = path('M200 330L600 330L700 560L100 560Z', dark(c, 0.2)) + path('M100 560h600v44q0 16 -16 16h-568q-16 0 -16 -16Z', c);
    for (let r = 0; r < 3; r++) for (let k = 0; k < 5; k++) { const x = 400 + (k - 2) * (84 + r * 18); const y = 378 + r * 72; s += oval(x, y, 34 + r * 5, 17 + r * 2, '#4a3426') + line(`M${x} ${y}v-40`, '#5d7f45', 6) + oval(x - 16, y - 44, 18, 9, '#7fa35c') + oval(x + 16, y - 48, 18, 9, '#6f8f55'); }
    return s;
  }
  return turn(-9, rect(190, 210, 240, 360, 6, '#16181f', 'opacity=".12"') + rect(180, 196, 240, 360, 6, light(c, 0.45)) + rect(180, 196, 240, 64, 6, dark(c, 0.15)) + disc(300, 400, 66, '#e0a33c') + disc(300, 400, 26, '#6b4a34')) + turn(8, rect(400, 240, 240, 360, 6, '#16181f', 'opacity=".12"') + rect(388, 226, 240, 360, 6, '#f6f1e4') + rect(388, 226, 240, 64, 6, c) + disc(508, 440, 76, a) + path('M508 372q-40 -34 -60 -10q30 30 60 10q30 20 60 -10q-20 -24 -60 10Z', '#5d7f45') + line('M440 556H576', dark(c, 0.2), 8));
}

function chair({ c, a = WOOD, bench = false }) {
  const w = bench ? 270 : 170;
  let s = floor(400, 680, w + 40) + pair(rect(400 - w + 6, 190, 26, 486, 6, dark(a, 0.15)));
  for (const y of [210, 262, 314, 366]) s += rect(400 - w, y, 2 * w, 34, 8, y === 210 ? light(a, 0.12) : a);
  s += rect(400 - w - 16, 472, 2 * w + 32, 34, 8, a) + rect(400 - w - 16, 516, 2 * w + 32, 20, 6, dark(a, 0.2)) + pair(rect(400 - w - 12, 536, 26, 144, 6, a) + rect(400 - w - 26, 400, 46, 20, 8, light(a, 0.1)) + rect(400 - w - 14, 416, 18, 60, 0, dark(a, 0.1)));
  return s + (c ? flat(`M${400 - w + 10} 446Q400 430 ${400 + w - 10} 446Q${400 + w} 470 ${400 + w - 10} 482H${400 - w + 10}Q${400 - w} 470 ${400 - w + 10} 446Z`, c) : '');
}

function table({ c = WOOD, a = '#3b3f45' }) {
  return floor(400, 676, 220) + line('M330 420L500 670M470 420L300 670', a, 18) + disc(400, 546, 12, light(a, 0.3)) + path('M140 390Q400 330 660 390Q660 436 400 446Q140 436 140 390Z', c) + path('M140 390Q400 450 660 390V408Q640 446 400 454Q160 446 140 408Z', dark(c, 0.2)) + line('M230 386Q400 364 570 386M210 404Q400 420 590 404', dark(c, 0.14), 4) + rect(352, 280, 64, 96, 8, '#e9dfc9') + plant('herb', 286, '#6f8f55');
}

function lantern({ c, a = '#ffd978' }) {
  let s = floor(400, 660, 160) + line('M340 200C340 90 460 90 460 200', dark(c, 0.2), 12) + disc(400, 440, 220, a, 'opacity=".2"') + solid('M400 180L300 240L284 280L400 280', c) + rect(300, 280, 200, 320, 4, '#fff4d2') + disc(400, 470, 84, a, 'opacity=".5"') + rect(364, 480, 72, 120, 6, '#f3ead2') + path('M400 400q32 40 16 62q-16 18 -32 0q-16 -22 16 -62Z', '#f2a93b');
  return s + line('M300 280V600M500 280V600M400 280V400M300 440H364M436 440H500', c, 12) + rect(272, 596, 256, 50, 8, dark(c, 0.1));
}

function hammock({ c, a = '#ffffff' }) {
  let s = floor(400, 640, 240) + line('M110 180L210 360M110 180L190 400M690 180L590 360M690 180L610 400M110 180L200 380M690 180L600 380', '#b08a54', 6) + disc(104, 172, 18, 'none', 'stroke="#6f767b" stroke-width="9"') + disc(696, 172, 18, 'none', 'stroke="#6f767b" stroke-width="9"');
  s += flat('M200 340C250 500 550 500 600 340C640 400 620 480 560 530C470 590 330 590 240 530C180 480 160 400 200 340Z', c) + path('M246 430C330 530 470 530 554 430L580 462C480 570 320 570 220 462Z', a) + path('M262 520C350 570 450 570 538 520L516 548C440 580 360 580 284 548Z', a);
  for (let x = 246; x < 570; x += 18) s += line(`M${x} ${560 - Math.abs(x - 400) * 0.12}v44`, a, 4);
  return s;
}

function doormat({ c, a = '#4a3426' }) {
  return path('M150 300L650 300L730 570L70 570Z', '#16181f', 'opacity=".12" transform="translate(8 16)"') + path('M150 300L650 300L730 570L70 570Z', c) + path('M178 326L622 326L688 544L112 544Z', a) + path('M192 338L608 338L670 532L130 532Z', c) + path('M400 370q60 -40 80 4q6 40 -80 96q-86 -56 -80 -96q20 -44 80 -4Z', a).replace('/>', ' transform="translate(0 8)"/>') + line('M200 470h60M196 490h70M540 470h60M536 490h70', a, 8);
}

export const garden = { planter, box, hanging, wateringcan, tool, secateurs, gardengloves, hose, seeds, chair, table, lantern, hammock, doormat };

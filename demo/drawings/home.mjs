// Lamps, linen, bath and decoration. `c` is the main colour, `a` the accent.
import { dark, disc, flat, floor, light, line, mix, onto, oval, pair, path, rect, solid, turn, whole } from './kit.mjs';

/** Lamplight: two pale discs behind a shade. */
const glow = (x, y, r) => disc(x, y, r, '#ffe9a8', 'opacity=".35"') + disc(x, y, r * 0.68, '#fff1c4', 'opacity=".5"');

function tablelamp({ c, a = '#b98a5a', base = 'ball' }) {
  const b = {
    ball: solid('M400 430C320 430 286 490 286 540C286 600 330 636 360 640L400 640', a),
    stick: rect(386, 400, 28, 230, 6, a) + solid('M400 612L290 618Q276 620 276 644L400 644', dark(a, 0.12)),
    tripod: line('M400 410L300 640M400 410L500 640M400 410V640', a, 22),
    cone: solid('M400 400L364 400L300 640L400 644', a),
  };
  let s = glow(400, 380, 270) + floor(400, 646, 150, 14) + rect(388, 380, 24, 60, 0, dark(a, 0.35)) + b[base];
  return s + solid('M400 150L300 150L226 400Q310 418 400 418', c, 0.05) + path(whole('M400 386Q310 386 234 370L226 400Q310 418 400 418'), dark(c, 0.14)) + line('M330 170L276 372', light(c, 0.5), 8);
}

function desklamp({ c, a = '#d9b26a' }) {
  let s = glow(560, 420, 180) + floor(350, 650, 190, 14) + line('M330 620L250 390L450 230', dark(c, 0.25), 20) + disc(250, 390, 22, a) + disc(450, 230, 20, a) + path('M220 620h220q20 0 20 28h-260q0 -28 20 -28Z', c);
  return s + turn(38, flat('M470 130L540 130L640 330L400 330Z', c) + path('M510 130L540 130L640 330L560 330Z', dark(c, 0.12)) + path('M452 330h136q-10 46 -68 46q-58 0 -68 -46Z', '#fff1c4') + rect(484, 104, 42, 30, 8, dark(c, 0.3)), 470, 210);
}

function floorlamp({ c, a = '#b98a5a', arc = false }) {
  if (arc) return glow(540, 330, 170) + floor(270, 690, 150, 12) + line('M270 680V300C270 60 540 60 540 220', a, 14) + path('M170 668h200q14 0 14 20h-228q0 -20 14 -20Z', dark(a, 0.2)) + flat('M410 330C410 250 470 214 540 214C610 214 670 250 670 330Z', c) + path('M540 214C610 214 670 250 670 330L560 330Z', dark(c, 0.12)) + path('M490 330h100q-6 36 -50 36q-44 0 -50 -36Z', '#fff1c4');
  return glow(400, 280, 210) + floor(400, 700, 170, 12) + line('M400 330L296 694M400 330L504 694M400 330L418 694', a, 18) + line('M344 540H460', dark(a, 0.2), 10) + solid('M400 100L306 100L254 318Q320 334 400 334', c, 0.05) + path(whole('M400 302Q320 302 262 288L254 318Q320 334 400 334'), dark(c, 0.14));
}

function pendant({ c, a = '#d9b26a', shape = 'dome' }) {
  const shapes = {
    dome: solid('M400 250C270 250 190 340 176 470Q290 496 400 496', c) + path(whole('M400 452Q290 452 180 436L176 470Q290 496 400 496'), dark(c, 0.25)),
    cone: solid('M400 250L340 256L190 510Q300 530 400 530', c) + path(whole('M400 494Q310 494 208 478L190 510Q300 530 400 530'), dark(c, 0.25)),
    globe: disc(412, 436, 170, '#16181f', 'opacity=".1"') + disc(400, 420, 170, c) + path('M400 250A170 170 0 0 1 400 590Z', '#16181f', 'opacity=".05"') + line('M276 380A134 134 0 0 1 340 300', '#ffffff', 12),
    woven: solid('M400 250C300 250 230 330 226 420C226 500 300 560 400 560', c, 0.1) + line('M232 370Q400 410 568 370M226 430Q400 474 574 430M244 490Q400 534 556 490M262 318Q400 350 538 318M400 252V560M330 266C270 350 280 480 340 548M470 266C530 350 520 480 460 548', onto(c, 0.3), 6),
  };
  let s = line('M400 60V240', '#3b3a38', 7) + rect(352, 52, 96, 22, 8, '#3b3a38') + glow(400, 520, 220);
  if (shape === 'dome' || shape === 'cone') s += disc(400, shape === 'dome' ? 500 : 532, 52, '#fff1c4');
  return s + rect(376, 214, 48, 46, 8, a) + shapes[shape];
}

function stringlights({ c = '#3b3a38', a = '#ffd978' }) {
  let s = line('M80 220Q240 380 400 260Q560 380 720 220M100 430Q240 590 400 470Q560 590 700 430', c, 6);
  for (const [x, y] of [[130, 262], [220, 312], [320, 302], [400, 262], [490, 306], [580, 312], [670, 262], [150, 474], [240, 522], [330, 508], [400, 472], [480, 512], [570, 520], [650, 474]]) s += rect(x - 10, y, 20, 26, 4, c) + disc(x, y + 56, 46, a, 'opacity=".22"') + path(`M${x - 12} ${y + 26}h24c18 30 18 66 -12 70c-30 -4 -30 -40 -12 -70Z`, a) + line(`M${x - 4} ${y + 40}v30`, '#ffffff', 5);
  return s;
}

function bulb({ c = '#e8b64c', a = '#b8bec2', globe = false }) {
  const d = globe ? 'M400 130C260 130 196 240 196 330C196 430 300 500 340 560L400 560' : 'M400 130C300 130 256 210 256 290C256 390 330 460 344 560L400 560';
  let s = glow(400, 330, 280) + path(whole(d), mix(c, '#ffffff', 0.35), 'opacity=".85"') + line('M360 556L340 380Q370 330 380 400Q400 320 420 400Q430 330 460 380L440 556', '#d06a1e', 7);
  return s + path('M340 556h120v90q0 20 -20 20h-80q-20 0 -20 -20Z', a) + line('M340 586h120M340 612h120M340 638h120', dark(a, 0.3), 8) + path('M366 666h68l-14 30h-40Z', '#3b3a38') + line('M300 330C296 260 320 210 350 190', '#ffffff', 12);
}

function bed({ c, a = '#ffffff', stripe = false, waffle = false }) {
  let s = floor(400, 640, 320, 14) + rect(110, 190, 580, 330, 24, '#a97c50') + rect(130, 210, 540, 200, 16, '#c39a6b') + rect(90, 590, 40, 54, 6, '#8a6038') + rect(670, 590, 40, 54, 6, '#8a6038');
  s += pair(flat('M150 330Q150 296 190 296L360 296Q392 296 392 330L392 420L150 420Z', a) + line('M180 330Q270 346 360 330', dark(a, 0.12), 5));
  s += flat('M96 420Q96 392 130 392L670 392Q704 392 704 420L704 600Q704 616 688 616L112 616Q96 616 96 600Z', c) + path('M96 420Q96 392 130 392L670 392Q704 392 704 420L704 456L96 456Z', light(c, 0.35));
  if (stripe) for (let x = 140; x < 690; x += 56) s += rect(x, 456, 18, 160, 0, mix(c, a, 0.5));
  if (waffle) s += line('M96 496H704M96 536H704M96 576H704M160 456V616M240 456V616M320 456V616M400 456V616M480 456V616M560 456V616M640 456V616', dark(c, 0.12), 4);
  return s + line('M250 470Q240 540 262 606M560 470Q580 540 556 606', dark(c, 0.16), 5);
}

function cushion({ c, a = '#ffffff', deco = 'piping', long = false }) {
  const d = long ? 'M400 270Q250 256 130 250Q150 400 130 556Q250 546 400 536' : 'M400 180Q290 176 170 150Q196 400 164 650Q290 624 400 622';
  let s = solid(d, c, 0.06);
  if (deco === 'stripe') s += path('M250 169L290 173L286 627L246 632ZM340 177h40v446h-40ZM420 177h40v447h-40ZM510 173L550 169L554 632L514 627Z', a);
  else if (deco === 'cross') for (const x of [270, 400, 530]) for (const y of [270, 400, 530]) s += line(`M${x - 20} ${y}h40M${x} ${y - 20}v40`, a, 10);
  else if (deco === 'leaf') s += line('M400 560C392 460 396 360 420 250', a, 9) + [[398, 500, -1], [396, 440, 1], [398, 380, -1], [404, 330, 1]].map(([x, y, k]) => path(`M${x} ${y}q${k * 30} -64 ${k * 110} -60q${-k * 14} 62 ${-k * 110} 60Z`, a)).join('');
  else s += line(long ? 'M150 270Q400 292 650 270M150 536Q400 518 650 536' : 'M192 176Q400 212 608 176M188 626Q400 592 612 626', a, 6);
  return s + (long ? '' : line('M186 200Q210 400 184 600', dark(c, 0.16), 4));
}

function throwblanket({ c, a = '#ffffff', check = false, fringe = true }) {
  let s = floor(400, 612, 260, 14);
  for (let i = 0; i < 3; i++) { const y = 520 - i * 96; s += flat(`M190 ${y}Q150 ${y} 150 ${y + 44}Q150 ${y + 88} 190 ${y + 88}L640 ${y + 88}L640 ${y}Z`, i % 2 ? dark(c, 0.08) : c); if (check) s += line(`M260 ${y + 4}v80M300 ${y + 4}v80M440 ${y + 4}v80M480 ${y + 4}v80`, a, 10) + line(`M164 ${y + 30}H636`, a, 7); else s += rect(520, y, 34, 88, 0, a) + rect(570, y, 14, 88, 0, a); }
  if (fringe) for (let y = 336; y < 604; y += 16) s += line(`M640 ${y}h38`, mix(c, '#ffffff', 0.2), 6);
  return s + line('M176 564H630M176 468H630M176 372H630', dark(c, 0.18), 4);
}

function towel({ c, a = '#ffffff', stack = false, waffle = false }) {
  if (stack) {
    let s = floor(400, 610, 260, 14);
    [c, a, mix(c, a, 0.5)].forEach((k, i) => { const y = 500 - i * 106; s += flat(`M200 ${y}Q150 ${y} 150 ${y + 50}Q150 ${y + 100} 200 ${y + 100}L650 ${y + 100}Q660 ${y + 50} 650 ${y}Z`, k) + line(`M190 ${y + 50}H650`, dark(k, 0.2), 4) + rect(560, y, 16, 100, 0, dark(k, 0.12)) + rect(590, y, 16, 100, 0, dark(k, 0.12)); });
    return s;
  }
  let s = rect(120, 150, 560, 24, 12, '#b98a5a') + pair(rect(130, 110, 20, 64, 6, '#8a6038'));
  s += flat('M240 160Q240 140 262 140L538 140Q560 140 560 160L560 650L240 650Z', c) + path('M240 160Q240 140 262 140L330 140L330 560L240 560Z', dark(c, 0.07)) + rect(240, 540, 320, 16, 0, a) + rect(240, 572, 320, 34, 0, a) + rect(240, 622, 320, 10, 0, a);
  if (waffle) s += line('M280 150V530M320 150V530M360 150V530M400 150V530M440 150V530M480 150V530M520 150V530M244 210H556M244 260H556M244 310H556M244 360H556M244 410H556M244 460H556M244 510H556', dark(c, 0.12), 4);
  return s + line('M248 650v22M272 650v22M296 650v22M320 650v22M344 650v22M368 650v22M392 650v22M416 650v22M440 650v22M464 650v22M488 650v22M512 650v22M536 650v22M554 650v22', c, 6);
}

function bathmat({ c, a = '#ffffff', stone = false }) {
  if (stone) return path('M180 330L620 330L720 560L80 560Z', '#16181f', 'opacity=".12" transform="translate(8 18)"') + path('M180 330L620 330L720 560L80 560Z', c) + path('M80 560h640v20h-640Z', dark(c, 0.2)) + path('M330 400q30 -30 50 6q14 50 -10 90q-30 20 -46 -14q-10 -50 6 -82ZM470 400q-30 -30 -50 6q-14 50 10 90q30 20 46 -14q10 -50 -6 -82Z', dark(c, 0.1));
  return path('M190 310L610 310L710 560L90 560Z', '#16181f', 'opacity=".12" transform="translate(8 16)"') + path('M190 310L610 310L710 560L90 560Z', c) + path('M214 336L586 336L664 534L136 534Z', a) + path('M230 352L570 352L640 518L160 518Z', c) + line('M250 390H550M238 422H562M226 454H574M212 488H588', dark(c, 0.14), 7, '16 12');
}

function dispenser({ c, a = '#2b2a29', tray = false }) {
  let s = floor(400, 640, 160, 14) + line('M400 250V180H300V206', a, 22) + rect(366, 232, 68, 54, 10, a) + solid('M400 280L320 280Q276 290 274 350L270 610Q274 636 306 638L400 638', c) + rect(330, 420, 140, 110, 8, light(c, 0.55)) + line('M354 460H446M354 492H420', dark(c, 0.4), 7);
  return s + rect(292, 340, 12, 240, 6, '#ffffff', 'opacity=".4"') + (tray ? rect(210, 632, 380, 24, 12, '#b98a5a') : '');
}

function basket({ c, a = '#8a5a34', lid = false }) {
  let s = floor(400, 640, 230, 16) + (lid ? '' : line('M270 340C250 240 330 230 330 320M470 320C470 230 550 240 530 340', a, 18)) + solid('M400 330L186 330L222 610Q230 636 262 638L400 638', c, 0.07);
  for (let y = 370; y < 620; y += 44) s += line(`M${196 + (y - 340) * 0.12} ${y}Q400 ${y + 26} ${604 - (y - 340) * 0.12} ${y}`, onto(c, 0.25), 6, '26 14');
  return s + rect(176, 312, 448, 40, 18, dark(c, 0.16)) + (lid ? solid('M400 236C280 240 200 270 178 316L400 318', light(c, 0.1)) + rect(364, 214, 72, 30, 12, a) : '');
}

function candle({ c, a = '#f3ead2', jar = true, pillar = false }) {
  const flame = (x, y) => disc(x, y - 40, 90, '#ffe08a', 'opacity=".3"') + line(`M${x} ${y}v-24`, '#3b3a38', 6) + path(`M${x} ${y - 92}q38 44 22 66q-22 22 -44 0q-16 -22 22 -66Z`, '#f2a93b') + path(`M${x} ${y - 58}q18 20 10 32q-10 10 -20 0q-8 -12 10 -32Z`, '#fff1c4');
  if (pillar) return floor(400, 640, 250) + flame(270, 420) + flame(410, 300) + flame(540, 480) + [[210, 420, 120, 214], [340, 300, 140, 334], [484, 480, 112, 154]].map(([x, y, w, h], i) => rect(x, y, w, h, 10, i === 1 ? c : light(c, 0.25)) + oval(x + w / 2, y + 4, w / 2, 12, light(c, 0.5)) + rect(x + w * 0.7, y + 14, w * 0.3, h - 14, 8, '#16181f', 'opacity=".07"')).join('') + rect(160, 630, 480, 24, 12, '#b98a5a');
  let s = floor(400, 630, 180) + flame(400, 330) + rect(256, 320, 288, 306, 30, c) + rect(400, 320, 144, 306, 30, '#16181f', 'opacity=".07"') + oval(400, 330, 132, 22, a) + oval(400, 330, 30, 8, dark(a, 0.12));
  return s + (jar ? rect(312, 430, 176, 120, 6, '#f6f1e4') + line('M346 470H454M364 500H436', dark(c, 0.35), 7) + rect(276, 366, 12, 220, 6, '#ffffff', 'opacity=".4"') : '');
}

function vase({ c, a = '#7d8f5a', shape = 'round', stems = 'leaf' }) {
  const shapes = {
    round: 'M400 330L352 330C356 390 270 420 262 510C258 590 320 634 350 636L400 636',
    tall: 'M400 300L340 300C330 400 300 480 310 580Q318 636 352 638L400 638',
    bottle: 'M400 290L366 290L364 400C300 430 280 500 282 570Q286 634 330 638L400 638',
  };
  const stalk = (x, y, k) => line(`M400 ${330}C${400 + k * 10} 260 ${x} 240 ${x} ${y}`, dark(a, 0.15), 7);
  let s = floor(400, 644, 140, 14) + [[300, 170, -1], [400, 110, 0], [500, 170, 1], [350, 220, -1], [456, 214, 1]].map(([x, y, k]) => stalk(x, y, k) + (stems === 'leaf' ? turn(k * 24, oval(x, y, 24, 62, a), x, y) + line(`M${x} ${y - 34}v70`, light(a, 0.3), 3) : stems === 'reed' ? turn(k * 14, oval(x, y, 14, 60, '#b08a54'), x, y) : disc(x, y, 34, stems) + disc(x, y, 13, '#e8b64c'))).join('');
  return s + solid(shapes[shape], c) + line(shape === 'tall' ? 'M336 420Q326 520 336 590' : 'M300 500Q296 560 322 596', light(c, 0.45), 10);
}

function mirror({ c, a = '#cfe0e6', arch = false }) {
  if (arch) return flat('M200 680L200 320C200 60 600 60 600 320L600 680Z', c) + path('M226 654L226 322C226 96 574 96 574 322L574 654Z', a) + path('M250 560L470 190L540 250L300 640L250 640Z', '#ffffff', 'opacity=".4"');
  return line('M400 90V170', dark(c, 0.3), 10) + disc(410, 436, 250, '#16181f', 'opacity=".12"') + disc(400, 420, 250, c) + disc(400, 420, 220, a) + path('M240 470L440 216L520 240L270 560Z', '#ffffff', 'opacity=".4"');
}

function frame({ c, a = '#7d8f5a', art = 'hills' }) {
  let s = rect(180, 130, 460, 560, 4, '#16181f', 'opacity=".12"') + rect(170, 115, 460, 560, 4, c) + rect(196, 141, 408, 508, 0, '#f7f3e8') + rect(246, 200, 308, 390, 0, mix(a, '#ffffff', 0.7));
  if (art === 'hills') s += disc(460, 300, 46, '#e0a458') + path('M246 470Q330 350 420 440Q490 380 554 430L554 590L246 590Z', a) + path('M246 540Q340 450 430 530Q500 490 554 520L554 590L246 590Z', dark(a, 0.25));
  else s += line('M400 570C396 470 400 370 410 250', dark(a, 0.2), 7) + [[400, 520, -1], [398, 470, 1], [399, 420, -1], [402, 370, 1], [405, 320, -1]].map(([x, y, k]) => path(`M${x} ${y}q${k * 26} -60 ${k * 96} -62q${-k * 10} 60 ${-k * 96} 62Z`, a)).join('');
  return s;
}

function clock({ c, a = '#2b2a29' }) {
  let s = disc(412, 418, 256, '#16181f', 'opacity=".12"') + disc(400, 400, 256, c) + disc(400, 400, 222, '#faf7ef');
  for (let i = 0; i < 12; i++) s += turn(i * 30, rect(i % 3 ? 396 : 392, 196, i % 3 ? 8 : 16, i % 3 ? 22 : 36, 3, a));
  return s + line('M400 400L310 330', a, 16) + line('M400 400L500 270', a, 10) + disc(400, 400, 18, a) + disc(400, 400, 7, c);
}

export const home = { tablelamp, desklamp, floorlamp, pendant, stringlights, bulb, bed, cushion, throwblanket, towel, bathmat, dispenser, basket, candle, vase, mirror, frame, clock };

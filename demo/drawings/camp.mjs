// Things for the trail and the camp. `c` is the main colour, `a` the accent.
import { dark, disc, flat, floor, light, line, mix, onto, oval, pair, path, rect, solid, turn, whole } from './kit.mjs';

function backpack({ c, a = '#d98b3a', roll = false, size = 1, leather = '' }) {
  const ink = onto(c, 0.3);
  const strap = leather || dark(c, 0.35);
  let s = floor(400, 672, 190) + line('M360 150C360 96 440 96 440 150', strap, 16);
  s += pair(path('M246 380C190 400 190 560 232 610L262 610L262 380Z', dark(c, 0.25)));
  s += solid('M400 138C300 138 254 190 248 290L236 600Q240 664 300 668L400 668', c, 0.07);
  if (roll) {
    s +=
      path(whole('M400 150L276 150L268 224Q330 236 400 236'), light(c, 0.08)) +
      path(whole('M400 128L264 128L262 164L400 168'), dark(c, 0.2)) +
      pair(rect(250, 150, 22, 90, 6, strap));
    s += rect(388, 160, 24, 170, 4, strap) + rect(378, 250, 44, 34, 6, a);
  } else {
    s += path(whole('M400 132C300 132 250 180 244 268Q240 312 276 324Q330 338 400 338'), dark(c, 0.13));
    s += pair(rect(312, 250, 22, 190, 4, strap) + rect(304, 360, 38, 30, 5, leather ? '#c9a24b' : '#2a2c31'));
  }
  s +=
    path(whole('M400 430L290 430Q276 430 276 446L280 610Q282 632 306 632L400 632'), dark(c, 0.16)) +
    line('M296 470H504', a, 8) +
    line('M504 470v36', a, 6);
  s +=
    size > 1
      ? pair(line('M248 330L268 344M244 420L276 410M240 520L278 528', strap, 10)) + rect(286, 676, 228, 22, 10, strap)
      : '';
  return s + rect(370, 540, 60, 40, 5, leather || a) + line('M384 560h32', ink, 4);
}

function duffel({ c, a = '#d98b3a', tote = false }) {
  if (tote) {
    const d = 'M400 300L210 300L228 650Q232 668 260 668L400 668';
    return (
      floor(400, 676, 190) +
      line('M300 310C300 130 500 130 500 310', dark(c, 0.3), 20) +
      solid(d, c, 0.06) +
      path(whole('M400 300L210 300L212 340L400 340'), dark(c, 0.15)) +
      path('M330 548L386 440L416 484L436 456L474 548Z', a) +
      line('M322 566H482', a, 8)
    );
  }
  let s = floor(400, 612, 290) + line('M280 380C290 220 510 220 520 380', dark(c, 0.4), 18);
  s += flat('M170 340Q400 300 630 340Q690 360 690 470Q690 590 630 606Q400 620 170 606Q110 590 110 470Q110 360 170 340Z', c);
  s += path(
    'M170 340Q220 360 220 470Q220 590 170 606Q110 590 110 470Q110 360 170 340ZM630 340Q580 360 580 470Q580 590 630 606Q690 590 690 470Q690 360 630 340Z',
    dark(c, 0.16),
  );
  s += path('M270 326h40v284h-40ZM490 326h40v284h-40Z', dark(c, 0.35)) + line('M216 372Q400 340 584 372', a, 8);
  return s + rect(344, 430, 112, 92, 8, dark(c, 0.14)) + line('M352 446h96', a, 6);
}

function drybag({ c, a = '#2a2c31' }) {
  let s = floor(400, 668, 150) + solid('M400 220L290 220C270 320 262 520 270 630Q280 664 340 666L400 668', c, 0.08);
  s +=
    rect(278, 168, 244, 34, 10, dark(c, 0.12)) +
    rect(270, 196, 260, 34, 10, dark(c, 0.25)) +
    path(
      'M270 178C220 130 240 100 300 110L500 110C560 100 580 130 530 178L510 190C540 150 530 140 494 142L306 142C270 140 260 150 290 190Z',
      a,
    );
  return (
    s +
    rect(372, 98, 56, 54, 8, dark(a, 0.4)) +
    line('M330 420H470M330 450H430', light(c, 0.5), 10) +
    disc(400, 350, 34, light(c, 0.5)) +
    path('M400 326q24 30 0 48q-24 -18 0 -48Z', c)
  );
}

function bottle({ c, a = '#c9ced1', wide = false, cup = false }) {
  const w = wide ? 108 : 84;
  const d = `M400 250L${400 - w * 0.62} 250C${400 - w * 0.7} 290 ${400 - w} 290 ${400 - w} 350L${400 - w} 636Q${400 - w} 662 ${400 - w + 30} 664L400 664`;
  let s = floor(400, 668, w + 30) + solid(d, c);
  s += rect(400 - w, 600, w * 2, 18, 0, dark(c, 0.2)) + rect(400 - w * 0.66, 232, w * 1.32, 22, 4, a);
  s += cup
    ? solid(`M400 130L${400 - w * 0.6} 130L${400 - w * 0.7} 236L400 236`, a)
    : rect(400 - w * 0.5, 168, w, 68, 10, dark(a, 0.35)) +
      line(`M${400 - w * 0.3} 168C${400 - w * 0.3} 110 ${400 + w * 0.3} 110 ${400 + w * 0.3} 168`, dark(a, 0.45), 14);
  return (
    s +
    path('M360 520L392 452L410 480L424 462L446 520Z', light(c, 0.55)) +
    rect(400 - w + 18, 352, 12, 230, 6, light(c, 0.35), 'opacity=".7"')
  );
}

function enamel({ c, a = '#2f3a44' }) {
  let s =
    floor(400, 610, 170) +
    line('M556 330C680 310 690 520 548 510', dark(a, 0), 34) +
    line('M556 332C672 316 680 514 548 508', c, 22);
  s +=
    solid('M400 270L240 270L252 580Q256 606 286 608L400 608', c, 0.06) +
    oval(400, 270, 162, 36, a) +
    oval(400, 270, 150, 28, dark(c, 0.3)) +
    oval(400, 280, 138, 20, '#5b3a22');
  return s + path('M310 500L376 390L406 436L430 402L490 500Z', a) + line('M300 522H500', a, 7) + disc(476, 366, 18, a);
}

function tent({ c, a = '#e8e1cf' }) {
  let s = floor(400, 606, 320) + path('M80 600L360 220L400 206L720 600Z', '#16181f', 'opacity=".1" transform="translate(8 12)"');
  s +=
    path('M400 206L720 600L470 600Z', dark(c, 0.22)) +
    path('M400 206L90 600L470 600Z', c) +
    path('M400 206L230 600L440 600Z', dark(c, 0.4)) +
    path('M400 206L230 600L300 600C330 500 370 360 400 206Z', a) +
    path('M400 206L440 600L420 600C420 480 410 340 400 206Z', a);
  return (
    s +
    line('M400 206L60 560M400 206L744 560', dark(c, 0.4), 4) +
    line('M60 560l-12 30M744 560l12 30', '#5a5a58', 8) +
    line('M168 500L420 560M560 400L620 480', light(c, 0.3), 4) +
    disc(400, 204, 10, '#5a5a58')
  );
}

function sleepingbag({ c, a = '#e3b04b' }) {
  const d = 'M400 100C290 100 236 170 232 280C230 420 262 560 296 650Q310 690 400 692';
  let s = solid(d, c, 0.06);
  for (let y = 300; y < 670; y += 62)
    s += line(`M${240 + (y - 280) * 0.14} ${y}Q400 ${y + 28} ${560 - (y - 280) * 0.14} ${y}`, onto(c, 0.28), 4);
  s +=
    path(whole('M400 128C320 128 282 176 282 238C284 290 330 316 400 316'), a) +
    path(whole('M400 158C346 158 318 194 320 236C324 270 356 286 400 286'), dark(a, 0.45));
  return s + line('M400 318C440 420 440 540 430 640', a, 8) + rect(424, 340, 14, 30, 5, dark(a, 0.4));
}

function mat({ c, a = '#2a2c31' }) {
  let s =
    floor(400, 580, 270) +
    flat('M240 300L620 300Q680 300 680 430Q680 566 620 566L240 566Z', c) +
    line('M300 320H640M300 380H664M300 440H668M300 500H660', onto(c, 0.18), 5);
  s +=
    disc(240, 433, 133, dark(c, 0.15)) +
    disc(240, 433, 104, light(c, 0.12)) +
    disc(240, 433, 76, dark(c, 0.15)) +
    disc(240, 433, 48, light(c, 0.12)) +
    disc(240, 433, 20, dark(c, 0.3));
  return (
    s +
    path('M400 298h30v270h-30ZM560 298h30v270h-30Z', a) +
    rect(392, 410, 46, 36, 5, dark(a, 0.3)) +
    rect(552, 410, 46, 36, 5, dark(a, 0.3))
  );
}

function poles({ c, a = '#2a2c31' }) {
  const pole =
    line('M400 190V650', '#9aa1a6', 13) +
    line('M400 190V420', c, 17) +
    rect(386, 96, 28, 120, 13, a) +
    rect(382, 86, 36, 34, 12, dark(a, 0.2)) +
    line('M388 128C340 150 350 200 388 206', dark(c, 0.3), 8) +
    rect(388, 404, 24, 30, 5, a) +
    oval(400, 618, 34, 10, a) +
    path('M394 640h12l-6 44Z', '#6f767b');
  return turn(12, pole) + turn(-12, pole);
}

function headlamp({ c, a = '#e9ecee' }) {
  let s =
    line('M180 420C170 250 300 190 400 190C500 190 630 250 620 420', dark(c, 0.1), 44) +
    line('M180 420C170 250 300 190 400 190C500 190 630 250 620 420', light(c, 0.25), 6, '18 16');
  s +=
    line('M190 440C240 520 560 520 610 440', dark(c, 0.3), 44) +
    flat('M286 400Q286 380 306 380L494 380Q514 380 514 400L514 570Q514 596 490 596L310 596Q286 596 286 570Z', '#33363c');
  s +=
    disc(400, 478, 72, '#24262b') +
    disc(400, 478, 58, a) +
    disc(400, 478, 34, '#fff3c4') +
    disc(400, 478, 16, '#ffd85e') +
    rect(360, 362, 80, 22, 8, mix(c, '#ffffff', 0.1));
  return s + disc(320, 570, 9, '#e0533d');
}

function stove({ c, a = '#b8bec2' }) {
  let s =
    floor(400, 664, 170) +
    path('M286 560Q286 520 330 520L470 520Q514 520 514 560L514 640Q514 660 494 660L306 660Q286 660 286 640Z', c) +
    rect(286, 580, 228, 36, 0, light(c, 0.4)) +
    rect(372, 470, 56, 54, 4, a) +
    rect(340, 444, 120, 30, 10, '#4a4f55');
  s += line('M428 494H560', a, 8) + rect(556, 478, 40, 32, 6, '#c2452d') + pair(line('M372 444L270 400L270 380', '#4a4f55', 12));
  s += path('M400 440q-40 -30 -18 -70q8 20 18 24q4 -30 -4 -50q44 30 30 72q-6 16 -26 24Z', '#4b8fd0');
  return (
    s +
    solid('M400 190L276 190L284 362Q290 378 310 380L400 380', a, 0.08) +
    rect(262, 178, 276, 22, 10, dark(a, 0.15)) +
    path('M384 178q0 -26 16 -26t16 26Z', '#3b3f45') +
    line('M524 230C620 226 640 260 640 300', '#3b3f45', 14)
  );
}

export const camp = { backpack, duffel, drybag, bottle, enamel, tent, sleepingbag, mat, poles, headlamp, stove };

// Lamps and candles, each with its glow. `c` is the main colour, `a` the accent.
import { dark, disc, flat, floor, light, line, mix, onto, oval, path, rect, solid, turn, whole } from './kit.mjs';

/** Lamplight: two pale discs behind a shade. */
const glow = (x, y, r) => disc(x, y, r, '#ffe9a8', 'opacity=".35"') + disc(x, y, r * 0.68, '#fff1c4', 'opacity=".5"');

function tablelamp({ c, a = '#b98a5a', base = 'ball' }) {
  const b = {
    ball: solid('M400 430C320 430 286 490 286 540C286 600 330 636 360 640L400 640', a),
    stick: rect(386, 400, 28, 230, 6, a) + solid('M400 612L290 618Q276 620 276 644L400 644', dark(a, 0.12)),
    tripod: line('M400 410L300 640M400 410L500 640M400 410V640', a, 22),
    cone: solid('M400 400L364 400L300 640L400 644', a),
  };
  const s = glow(400, 380, 270) + floor(400, 646, 150, 14) + rect(388, 380, 24, 60, 0, dark(a, 0.35)) + b[base];
  return (
    s +
    solid('M400 150L300 150L226 400Q310 418 400 418', c, 0.05) +
    path(whole('M400 386Q310 386 234 370L226 400Q310 418 400 418'), dark(c, 0.14)) +
    line('M330 170L276 372', light(c, 0.5), 8)
  );
}

function desklamp({ c, a = '#d9b26a' }) {
  const s =
    glow(560, 420, 180) +
    floor(350, 650, 190, 14) +
    line('M330 620L250 390L450 230', dark(c, 0.25), 20) +
    disc(250, 390, 22, a) +
    disc(450, 230, 20, a) +
    path('M220 620h220q20 0 20 28h-260q0 -28 20 -28Z', c);
  return (
    s +
    turn(
      38,
      flat('M470 130L540 130L640 330L400 330Z', c) +
        path('M510 130L540 130L640 330L560 330Z', dark(c, 0.12)) +
        path('M452 330h136q-10 46 -68 46q-58 0 -68 -46Z', '#fff1c4') +
        rect(484, 104, 42, 30, 8, dark(c, 0.3)),
      470,
      210,
    )
  );
}

function floorlamp({ c, a = '#b98a5a', arc = false }) {
  if (arc)
    return (
      glow(540, 330, 170) +
      floor(270, 690, 150, 12) +
      line('M270 680V300C270 60 540 60 540 220', a, 14) +
      path('M170 668h200q14 0 14 20h-228q0 -20 14 -20Z', dark(a, 0.2)) +
      flat('M410 330C410 250 470 214 540 214C610 214 670 250 670 330Z', c) +
      path('M540 214C610 214 670 250 670 330L560 330Z', dark(c, 0.12)) +
      path('M490 330h100q-6 36 -50 36q-44 0 -50 -36Z', '#fff1c4')
    );
  return (
    glow(400, 280, 210) +
    floor(400, 700, 170, 12) +
    line('M400 330L296 694M400 330L504 694M400 330L418 694', a, 18) +
    line('M344 540H460', dark(a, 0.2), 10) +
    solid('M400 100L306 100L254 318Q320 334 400 334', c, 0.05) +
    path(whole('M400 302Q320 302 262 288L254 318Q320 334 400 334'), dark(c, 0.14))
  );
}

function pendant({ c, a = '#d9b26a', shape = 'dome' }) {
  const shapes = {
    dome:
      solid('M400 250C270 250 190 340 176 470Q290 496 400 496', c) +
      path(whole('M400 452Q290 452 180 436L176 470Q290 496 400 496'), dark(c, 0.25)),
    cone:
      solid('M400 250L340 256L190 510Q300 530 400 530', c) +
      path(whole('M400 494Q310 494 208 478L190 510Q300 530 400 530'), dark(c, 0.25)),
    globe:
      disc(412, 436, 170, '#16181f', 'opacity=".1"') +
      disc(400, 420, 170, c) +
      path('M400 250A170 170 0 0 1 400 590Z', '#16181f', 'opacity=".05"') +
      line('M276 380A134 134 0 0 1 340 300', '#ffffff', 12),
    woven:
      solid('M400 250C300 250 230 330 226 420C226 500 300 560 400 560', c, 0.1) +
      line(
        'M232 370Q400 410 568 370M226 430Q400 474 574 430M244 490Q400 534 556 490M262 318Q400 350 538 318M400 252V560M330 266C270 350 280 480 340 548M470 266C530 350 520 480 460 548',
        onto(c, 0.3),
        6,
      ),
  };
  let s = line('M400 60V240', '#3b3a38', 7) + rect(352, 52, 96, 22, 8, '#3b3a38') + glow(400, 520, 220);
  if (shape === 'dome' || shape === 'cone') s += disc(400, shape === 'dome' ? 500 : 532, 52, '#fff1c4');
  return s + rect(376, 214, 48, 46, 8, a) + shapes[shape];
}

function stringlights({ c = '#3b3a38', a = '#ffd978' }) {
  let s = line('M80 220Q240 380 400 260Q560 380 720 220M100 430Q240 590 400 470Q560 590 700 430', c, 6);
  for (const [x, y] of [
    [130, 262],
    [220, 312],
    [320, 302],
    [400, 262],
    [490, 306],
    [580, 312],
    [670, 262],
    [150, 474],
    [240, 522],
    [330, 508],
    [400, 472],
    [480, 512],
    [570, 520],
    [650, 474],
  ])
    s +=
      rect(x - 10, y, 20, 26, 4, c) +
      disc(x, y + 56, 46, a, 'opacity=".22"') +
      path(`M${x - 12} ${y + 26}h24c18 30 18 66 -12 70c-30 -4 -30 -40 -12 -70Z`, a) +
      line(`M${x - 4} ${y + 40}v30`, '#ffffff', 5);
  return s;
}

function bulb({ c = '#e8b64c', a = '#b8bec2', globe = false }) {
  const d = globe
    ? 'M400 130C260 130 196 240 196 330C196 430 300 500 340 560L400 560'
    : 'M400 130C300 130 256 210 256 290C256 390 330 460 344 560L400 560';
  const s =
    glow(400, 330, 280) +
    path(whole(d), mix(c, '#ffffff', 0.35), 'opacity=".85"') +
    line('M360 556L340 380Q370 330 380 400Q400 320 420 400Q430 330 460 380L440 556', '#d06a1e', 7);
  return (
    s +
    path('M340 556h120v90q0 20 -20 20h-80q-20 0 -20 -20Z', a) +
    line('M340 586h120M340 612h120M340 638h120', dark(a, 0.3), 8) +
    path('M366 666h68l-14 30h-40Z', '#3b3a38') +
    line('M300 330C296 260 320 210 350 190', '#ffffff', 12)
  );
}

function candle({ c, a = '#f3ead2', jar = true, pillar = false }) {
  const flame = (x, y) =>
    disc(x, y - 40, 90, '#ffe08a', 'opacity=".3"') +
    line(`M${x} ${y}v-24`, '#3b3a38', 6) +
    path(`M${x} ${y - 92}q38 44 22 66q-22 22 -44 0q-16 -22 22 -66Z`, '#f2a93b') +
    path(`M${x} ${y - 58}q18 20 10 32q-10 10 -20 0q-8 -12 10 -32Z`, '#fff1c4');
  if (pillar)
    return (
      floor(400, 640, 250) +
      flame(270, 420) +
      flame(410, 300) +
      flame(540, 480) +
      [
        [210, 420, 120, 214],
        [340, 300, 140, 334],
        [484, 480, 112, 154],
      ]
        .map(
          ([x, y, w, h], i) =>
            rect(x, y, w, h, 10, i === 1 ? c : light(c, 0.25)) +
            oval(x + w / 2, y + 4, w / 2, 12, light(c, 0.5)) +
            rect(x + w * 0.7, y + 14, w * 0.3, h - 14, 8, '#16181f', 'opacity=".07"'),
        )
        .join('') +
      rect(160, 630, 480, 24, 12, '#b98a5a')
    );
  const s =
    floor(400, 630, 180) +
    flame(400, 330) +
    rect(256, 320, 288, 306, 30, c) +
    rect(400, 320, 144, 306, 30, '#16181f', 'opacity=".07"') +
    oval(400, 330, 132, 22, a) +
    oval(400, 330, 30, 8, dark(a, 0.12));
  return (
    s +
    (jar
      ? rect(312, 430, 176, 120, 6, '#f6f1e4') +
        line('M346 470H454M364 500H436', dark(c, 0.35), 7) +
        rect(276, 366, 12, 220, 6, '#ffffff', 'opacity=".4"')
      : '')
  );
}

export const lamps = { tablelamp, desklamp, floorlamp, pendant, stringlights, bulb, candle };

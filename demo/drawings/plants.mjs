// Plants and what they grow in. `c` is the main colour, `a` the accent.
import { dark, disc, flat, floor, light, line, onto, oval, pair, path, rect, solid, turn, whole } from './kit.mjs';

const WOOD = '#b98a5a';

/** Plants that grow out of (400, y). */
export function plant(kind, y, green) {
  const g2 = dark(green, 0.2);
  if (kind === 'cactus')
    return (
      rect(346, y - 220, 108, 240, 54, green) +
      rect(276, y - 150, 50, 100, 25, g2) +
      rect(300, y - 80, 60, 34, 16, g2) +
      rect(474, y - 180, 46, 100, 23, g2) +
      rect(440, y - 114, 60, 34, 16, g2) +
      line(`M376 ${y - 190}V${y}M400 ${y - 204}V${y}M424 ${y - 190}V${y}`, light(green, 0.3), 4) +
      disc(400, y - 222, 18, '#d9698a')
    );
  if (kind === 'herb')
    return [
      [330, -30, -26],
      [372, -70, -10],
      [428, -70, 12],
      [470, -30, 28],
      [400, -110, 0],
    ]
      .map(([x, dy, r]) =>
        turn(
          r,
          line(`M${x} ${y}V${y - 150 + dy}`, g2, 7) +
            [0, 40, 80, 120]
              .map((k) => oval(x - 22, y - 60 - k + dy / 2, 22, 12, green) + oval(x + 22, y - 76 - k + dy / 2, 22, 12, g2))
              .join(''),
          x,
          y,
        ),
      )
      .join('');
  if (kind === 'flower')
    return [
      [310, -150, '#d9698a'],
      [400, -220, '#e0a33c'],
      [490, -160, '#c2452d'],
      [356, -90, '#e7d9f0'],
      [450, -80, '#d9698a'],
    ]
      .map(
        ([x, dy, k]) =>
          line(`M400 ${y}Q${x} ${y + dy / 2} ${x} ${y + dy}`, g2, 7) +
          [0, 72, 144, 216, 288].map((r) => turn(r, oval(x, y + dy - 24, 16, 24, k), x, y + dy)).join('') +
          disc(x, y + dy, 13, '#f6dc8a'),
      )
      .join('');
  if (kind === 'trail')
    return [
      [250, 150],
      [310, 220],
      [360, 130],
      [450, 170],
      [510, 240],
      [560, 140],
    ]
      .map(
        ([x, l], i) =>
          line(`M400 ${y}Q${x} ${y - 60} ${x} ${y + l}`, g2, 6) +
          [0, 1, 2, 3, 4].map((k) => oval(x + (k % 2 ? 14 : -14), y + l - k * 40, 18, 12, (i + k) % 2 ? green : g2)).join(''),
      )
      .join('');
  return [
    [-58, 0.9],
    [-30, 1.08],
    [0, 1.25],
    [30, 1.08],
    [58, 0.9],
  ]
    .map(([r, k], i) =>
      turn(
        r,
        path(
          `M400 ${y}C${400 - 60 * k} ${y - 90 * k} ${400 - 40 * k} ${y - 190 * k} 400 ${y - 230 * k}C${400 + 40 * k} ${y - 190 * k} ${400 + 60 * k} ${y - 90 * k} 400 ${y}Z`,
          i % 2 ? g2 : green,
        ) + line(`M400 ${y - 10}V${y - 200 * k}`, light(green, 0.25), 4),
        400,
        y,
      ),
    )
    .join('');
}

function planter({ c, a = '#6f8f55', green = '#6f8f55', kind = 'leaf', shape = 'classic', deco = '', stand = false }) {
  const y = 410;
  let s = floor(400, 650, 180) + plant(kind, y + 14, green);
  if (stand) s += pair(line('M300 560L270 656', WOOD, 18));
  if (shape === 'classic')
    s +=
      solid(`M400 ${y + 50}L270 ${y + 50}L304 626Q308 644 330 644L400 644`, c) +
      rect(252, y, 296, 60, 10, light(c, 0.08)) +
      rect(252, y + 48, 296, 12, 0, dark(c, 0.2));
  else if (shape === 'cylinder')
    s +=
      solid(
        `M400 ${y}L268 ${y}L268 ${stand ? 570 : 624}Q270 ${stand ? 592 : 646} 292 ${stand ? 592 : 646}L400 ${stand ? 592 : 646}`,
        c,
      ) + oval(400, y, 132, 16, dark(c, 0.3));
  else
    s +=
      solid(`M400 ${y}L300 ${y}C240 ${y + 60} 240 ${y + 170} 310 636Q316 646 330 646L400 646`, c) +
      rect(290, y - 16, 220, 34, 14, light(c, 0.1));
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
    s +=
      line(`M${x} 392V${y}`, dark(a, 0.2), 7) +
      oval(x - 22, 350, 26, 13, a) +
      oval(x + 22, 330, 26, 13, dark(a, 0.2)) +
      [0, 90, 180, 270].map((r) => turn(r, disc(x, y - 20, 20, k), x, y)).join('') +
      disc(x, y, 14, '#f6dc8a');
  });
  s +=
    flat('M110 390L690 390L670 590Q668 604 650 604L150 604Q132 604 130 590Z', c) +
    line('M120 460H680M126 532H674', dark(c, 0.22), 5) +
    rect(96, 376, 608, 34, 8, light(c, 0.12));
  if (rail) s += line('M200 380V320H180M600 380V320H620', '#3b3f45', 14);
  return s + (legs ? path('M150 604h36v90h-36ZM614 604h36v90h-36Z', dark(c, 0.25)) : '');
}

function hanging({ c, a = '#6f8f55', macrame = true }) {
  const cord = macrame ? '#c9b68e' : '#5a5a58';
  return (
    disc(400, 92, 18, 'none', `stroke="${cord}" stroke-width="8"`) +
    line('M400 110L270 430M400 110L530 430M400 110V420', cord, 7) +
    solid('M400 420L262 420C264 520 320 596 400 596', c) +
    rect(250, 402, 300, 32, 12, light(c, 0.1)) +
    plant('trail', 404, a) +
    (macrame ? line('M400 596V690M384 600L376 676M416 600L424 676', cord, 6) : '')
  );
}

function seeds({ c, a = '#c2452d', tray = false }) {
  if (tray) {
    let s = path('M200 330L600 330L700 560L100 560Z', dark(c, 0.2)) + path('M100 560h600v44q0 16 -16 16h-568q-16 0 -16 -16Z', c);
    for (let r = 0; r < 3; r++)
      for (let k = 0; k < 5; k++) {
        const x = 400 + (k - 2) * (84 + r * 18);
        const y = 378 + r * 72;
        s +=
          oval(x, y, 34 + r * 5, 17 + r * 2, '#4a3426') +
          line(`M${x} ${y}v-40`, '#5d7f45', 6) +
          oval(x - 16, y - 44, 18, 9, '#7fa35c') +
          oval(x + 16, y - 48, 18, 9, '#6f8f55');
      }
    return s;
  }
  return (
    turn(
      -9,
      rect(190, 210, 240, 360, 6, '#16181f', 'opacity=".12"') +
        rect(180, 196, 240, 360, 6, light(c, 0.45)) +
        rect(180, 196, 240, 64, 6, dark(c, 0.15)) +
        disc(300, 400, 66, '#e0a33c') +
        disc(300, 400, 26, '#6b4a34'),
    ) +
    turn(
      8,
      rect(400, 240, 240, 360, 6, '#16181f', 'opacity=".12"') +
        rect(388, 226, 240, 360, 6, '#f6f1e4') +
        rect(388, 226, 240, 64, 6, c) +
        disc(508, 440, 76, a) +
        path('M508 372q-40 -34 -60 -10q30 30 60 10q30 20 60 -10q-20 -24 -60 10Z', '#5d7f45') +
        line('M440 556H576', dark(c, 0.2), 8),
    )
  );
}

export const plants = { planter, box, hanging, seeds };

// Linen, bath and decoration. `c` is the main colour, `a` the accent.
import { dark, disc, flat, floor, light, line, mix, onto, oval, pair, path, rect, solid, turn } from './kit.mjs';

function bed({ c, a = '#ffffff', stripe = false, waffle = false }) {
  let s =
    floor(400, 640, 320, 14) +
    rect(110, 190, 580, 330, 24, '#a97c50') +
    rect(130, 210, 540, 200, 16, '#c39a6b') +
    rect(90, 590, 40, 54, 6, '#8a6038') +
    rect(670, 590, 40, 54, 6, '#8a6038');
  s += pair(
    flat('M150 330Q150 296 190 296L360 296Q392 296 392 330L392 420L150 420Z', a) +
      line('M180 330Q270 346 360 330', dark(a, 0.12), 5),
  );
  s +=
    flat('M96 420Q96 392 130 392L670 392Q704 392 704 420L704 600Q704 616 688 616L112 616Q96 616 96 600Z', c) +
    path('M96 420Q96 392 130 392L670 392Q704 392 704 420L704 456L96 456Z', light(c, 0.35));
  if (stripe) for (let x = 140; x < 690; x += 56) s += rect(x, 456, 18, 160, 0, mix(c, a, 0.5));
  if (waffle)
    s += line(
      'M96 496H704M96 536H704M96 576H704M160 456V616M240 456V616M320 456V616M400 456V616M480 456V616M560 456V616M640 456V616',
      dark(c, 0.12),
      4,
    );
  return s + line('M250 470Q240 540 262 606M560 470Q580 540 556 606', dark(c, 0.16), 5);
}

function cushion({ c, a = '#ffffff', deco = 'piping', long = false }) {
  const d = long
    ? 'M400 270Q250 256 130 250Q150 400 130 556Q250 546 400 536'
    : 'M400 180Q290 176 170 150Q196 400 164 650Q290 624 400 622';
  let s = solid(d, c, 0.06);
  if (deco === 'stripe')
    s += path('M250 169L290 173L286 627L246 632ZM340 177h40v446h-40ZM420 177h40v447h-40ZM510 173L550 169L554 632L514 627Z', a);
  else if (deco === 'cross')
    for (const x of [270, 400, 530]) for (const y of [270, 400, 530]) s += line(`M${x - 20} ${y}h40M${x} ${y - 20}v40`, a, 10);
  else if (deco === 'leaf')
    s +=
      line('M400 560C392 460 396 360 420 250', a, 9) +
      [
        [398, 500, -1],
        [396, 440, 1],
        [398, 380, -1],
        [404, 330, 1],
      ]
        .map(([x, y, k]) => path(`M${x} ${y}q${k * 30} -64 ${k * 110} -60q${-k * 14} 62 ${-k * 110} 60Z`, a))
        .join('');
  else
    s += line(
      long ? 'M150 270Q400 292 650 270M150 536Q400 518 650 536' : 'M192 176Q400 212 608 176M188 626Q400 592 612 626',
      a,
      6,
    );
  return s + (long ? '' : line('M186 200Q210 400 184 600', dark(c, 0.16), 4));
}

function throwblanket({ c, a = '#ffffff', check = false, fringe = true }) {
  let s = floor(400, 612, 260, 14);
  for (let i = 0; i < 3; i++) {
    const y = 520 - i * 96;
    s += flat(`M190 ${y}Q150 ${y} 150 ${y + 44}Q150 ${y + 88} 190 ${y + 88}L640 ${y + 88}L640 ${y}Z`, i % 2 ? dark(c, 0.08) : c);
    if (check)
      s += line(`M260 ${y + 4}v80M300 ${y + 4}v80M440 ${y + 4}v80M480 ${y + 4}v80`, a, 10) + line(`M164 ${y + 30}H636`, a, 7);
    else s += rect(520, y, 34, 88, 0, a) + rect(570, y, 14, 88, 0, a);
  }
  if (fringe) for (let y = 336; y < 604; y += 16) s += line(`M640 ${y}h38`, mix(c, '#ffffff', 0.2), 6);
  return s + line('M176 564H630M176 468H630M176 372H630', dark(c, 0.18), 4);
}

function towel({ c, a = '#ffffff', stack = false, waffle = false }) {
  if (stack) {
    let s = floor(400, 610, 260, 14);
    [c, a, mix(c, a, 0.5)].forEach((k, i) => {
      const y = 500 - i * 106;
      s +=
        flat(`M200 ${y}Q150 ${y} 150 ${y + 50}Q150 ${y + 100} 200 ${y + 100}L650 ${y + 100}Q660 ${y + 50} 650 ${y}Z`, k) +
        line(`M190 ${y + 50}H650`, dark(k, 0.2), 4) +
        rect(560, y, 16, 100, 0, dark(k, 0.12)) +
        rect(590, y, 16, 100, 0, dark(k, 0.12));
    });
    return s;
  }
  let s = rect(120, 150, 560, 24, 12, '#b98a5a') + pair(rect(130, 110, 20, 64, 6, '#8a6038'));
  s +=
    flat('M240 160Q240 140 262 140L538 140Q560 140 560 160L560 650L240 650Z', c) +
    path('M240 160Q240 140 262 140L330 140L330 560L240 560Z', dark(c, 0.07)) +
    rect(240, 540, 320, 16, 0, a) +
    rect(240, 572, 320, 34, 0, a) +
    rect(240, 622, 320, 10, 0, a);
  if (waffle)
    s += line(
      'M280 150V530M320 150V530M360 150V530M400 150V530M440 150V530M480 150V530M520 150V530M244 210H556M244 260H556M244 310H556M244 360H556M244 410H556M244 460H556M244 510H556',
      dark(c, 0.12),
      4,
    );
  return (
    s +
    line(
      'M248 650v22M272 650v22M296 650v22M320 650v22M344 650v22M368 650v22M392 650v22M416 650v22M440 650v22M464 650v22M488 650v22M512 650v22M536 650v22M554 650v22',
      c,
      6,
    )
  );
}

function bathmat({ c, a = '#ffffff', stone = false }) {
  if (stone)
    return (
      path('M180 330L620 330L720 560L80 560Z', '#16181f', 'opacity=".12" transform="translate(8 18)"') +
      path('M180 330L620 330L720 560L80 560Z', c) +
      path('M80 560h640v20h-640Z', dark(c, 0.2)) +
      path(
        'M330 400q30 -30 50 6q14 50 -10 90q-30 20 -46 -14q-10 -50 6 -82ZM470 400q-30 -30 -50 6q-14 50 10 90q30 20 46 -14q10 -50 -6 -82Z',
        dark(c, 0.1),
      )
    );
  return (
    path('M190 310L610 310L710 560L90 560Z', '#16181f', 'opacity=".12" transform="translate(8 16)"') +
    path('M190 310L610 310L710 560L90 560Z', c) +
    path('M214 336L586 336L664 534L136 534Z', a) +
    path('M230 352L570 352L640 518L160 518Z', c) +
    line('M250 390H550M238 422H562M226 454H574M212 488H588', dark(c, 0.14), 7, '16 12')
  );
}

function dispenser({ c, a = '#2b2a29', tray = false }) {
  const s =
    floor(400, 640, 160, 14) +
    line('M400 250V180H300V206', a, 22) +
    rect(366, 232, 68, 54, 10, a) +
    solid('M400 280L320 280Q276 290 274 350L270 610Q274 636 306 638L400 638', c) +
    rect(330, 420, 140, 110, 8, light(c, 0.55)) +
    line('M354 460H446M354 492H420', dark(c, 0.4), 7);
  return s + rect(292, 340, 12, 240, 6, '#ffffff', 'opacity=".4"') + (tray ? rect(210, 632, 380, 24, 12, '#b98a5a') : '');
}

function basket({ c, a = '#8a5a34', lid = false }) {
  let s =
    floor(400, 640, 230, 16) +
    (lid ? '' : line('M270 340C250 240 330 230 330 320M470 320C470 230 550 240 530 340', a, 18)) +
    solid('M400 330L186 330L222 610Q230 636 262 638L400 638', c, 0.07);
  for (let y = 370; y < 620; y += 44)
    s += line(`M${196 + (y - 340) * 0.12} ${y}Q400 ${y + 26} ${604 - (y - 340) * 0.12} ${y}`, onto(c, 0.25), 6, '26 14');
  return (
    s +
    rect(176, 312, 448, 40, 18, dark(c, 0.16)) +
    (lid ? solid('M400 236C280 240 200 270 178 316L400 318', light(c, 0.1)) + rect(364, 214, 72, 30, 12, a) : '')
  );
}

function vase({ c, a = '#7d8f5a', shape = 'round', stems = 'leaf' }) {
  const shapes = {
    round: 'M400 330L352 330C356 390 270 420 262 510C258 590 320 634 350 636L400 636',
    tall: 'M400 300L340 300C330 400 300 480 310 580Q318 636 352 638L400 638',
    bottle: 'M400 290L366 290L364 400C300 430 280 500 282 570Q286 634 330 638L400 638',
  };
  const stalk = (x, y, k) => line(`M400 ${330}C${400 + k * 10} 260 ${x} 240 ${x} ${y}`, dark(a, 0.15), 7);
  const s =
    floor(400, 644, 140, 14) +
    [
      [300, 170, -1],
      [400, 110, 0],
      [500, 170, 1],
      [350, 220, -1],
      [456, 214, 1],
    ]
      .map(
        ([x, y, k]) =>
          stalk(x, y, k) +
          (stems === 'leaf'
            ? turn(k * 24, oval(x, y, 24, 62, a), x, y) + line(`M${x} ${y - 34}v70`, light(a, 0.3), 3)
            : stems === 'reed'
              ? turn(k * 14, oval(x, y, 14, 60, '#b08a54'), x, y)
              : disc(x, y, 34, stems) + disc(x, y, 13, '#e8b64c')),
      )
      .join('');
  return (
    s +
    solid(shapes[shape], c) +
    line(shape === 'tall' ? 'M336 420Q326 520 336 590' : 'M300 500Q296 560 322 596', light(c, 0.45), 10)
  );
}

function mirror({ c, a = '#cfe0e6', arch = false }) {
  if (arch)
    return (
      flat('M200 680L200 320C200 60 600 60 600 320L600 680Z', c) +
      path('M226 654L226 322C226 96 574 96 574 322L574 654Z', a) +
      path('M250 560L470 190L540 250L300 640L250 640Z', '#ffffff', 'opacity=".4"')
    );
  return (
    line('M400 90V170', dark(c, 0.3), 10) +
    disc(410, 436, 250, '#16181f', 'opacity=".12"') +
    disc(400, 420, 250, c) +
    disc(400, 420, 220, a) +
    path('M240 470L440 216L520 240L270 560Z', '#ffffff', 'opacity=".4"')
  );
}

function frame({ c, a = '#7d8f5a', art = 'hills' }) {
  let s =
    rect(180, 130, 460, 560, 4, '#16181f', 'opacity=".12"') +
    rect(170, 115, 460, 560, 4, c) +
    rect(196, 141, 408, 508, 0, '#f7f3e8') +
    rect(246, 200, 308, 390, 0, mix(a, '#ffffff', 0.7));
  if (art === 'hills')
    s +=
      disc(460, 300, 46, '#e0a458') +
      path('M246 470Q330 350 420 440Q490 380 554 430L554 590L246 590Z', a) +
      path('M246 540Q340 450 430 530Q500 490 554 520L554 590L246 590Z', dark(a, 0.25));
  else
    s +=
      line('M400 570C396 470 400 370 410 250', dark(a, 0.2), 7) +
      [
        [400, 520, -1],
        [398, 470, 1],
        [399, 420, -1],
        [402, 370, 1],
        [405, 320, -1],
      ]
        .map(([x, y, k]) => path(`M${x} ${y}q${k * 26} -60 ${k * 96} -62q${-k * 10} 60 ${-k * 96} 62Z`, a))
        .join('');
  return s;
}

function clock({ c, a = '#2b2a29' }) {
  let s = disc(412, 418, 256, '#16181f', 'opacity=".12"') + disc(400, 400, 256, c) + disc(400, 400, 222, '#faf7ef');
  for (let i = 0; i < 12; i++) s += turn(i * 30, rect(i % 3 ? 396 : 392, 196, i % 3 ? 8 : 16, i % 3 ? 22 : 36, 3, a));
  return s + line('M400 400L310 330', a, 16) + line('M400 400L500 270', a, 10) + disc(400, 400, 18, a) + disc(400, 400, 7, c);
}

export const home = { bed, cushion, throwblanket, towel, bathmat, dispenser, basket, vase, mirror, frame, clock };

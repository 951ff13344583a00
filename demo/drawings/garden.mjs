// Garden tools and the terrace. `c` is the main colour, `a` the accent.
import { dark, disc, flat, floor, light, line, oval, pair, path, rect, solid, turn } from './kit.mjs';
import { plant } from './plants.mjs';

const WOOD = '#b98a5a';

const STEEL = '#aeb5b9';

function wateringcan({ c, a = '#d9b26a', long = false }) {
  let s = floor(420, 630, 220) + line('M470 330C480 200 660 230 620 400C610 460 590 500 560 530', dark(c, 0.2), 24);
  s += long
    ? flat('M330 560C240 500 210 380 160 220L182 210C240 340 270 420 340 470Z', dark(c, 0.1)) + oval(170, 216, 20, 8, a)
    : flat('M330 540L170 330L200 306L350 440Z', dark(c, 0.1)) + turn(-48, path('M140 270h84l26 50h-136Z', a), 182, 300);
  return (
    s +
    flat('M330 350L560 350L584 600Q584 624 556 624L334 624Q306 624 308 600Z', c) +
    path('M450 350L560 350L584 600Q584 624 556 624L450 624Z', '#16181f', 'opacity=".07"') +
    oval(445, 350, 116, 20, dark(c, 0.35)) +
    path('M329 350Q340 300 445 300Q445 340 446 352Z', light(c, 0.1)) +
    line('M318 560H574', light(c, 0.3), 7)
  );
}

function tool({ c = STEEL, a = WOOD, type = 'trowel' }) {
  const heads = {
    trowel:
      flat('M400 640C330 590 326 500 340 430L460 430C474 500 470 590 400 640Z', c) +
      path('M400 630C440 590 456 500 446 434L400 434Z', dark(c, 0.15)),
    fork: line('M350 440V620M400 440V650M450 440V620', c, 20) + path('M336 440q0 -30 64 -34q64 4 64 34Z', c),
    rake:
      rect(250, 560, 300, 24, 8, c) +
      [262, 300, 338, 376, 414, 452, 490, 528].map((x) => rect(x, 576, 14, 70, 6, dark(c, 0.15))).join('') +
      line('M400 440V560', c, 16),
    spade:
      flat('M320 430L480 430L480 560C480 610 440 640 400 654C360 640 320 610 320 560Z', c) +
      path('M400 430h80v130c0 50 -40 80 -80 94Z', dark(c, 0.15)),
    dibber: flat('M372 420L428 420L404 660L396 660Z', c) + line('M378 470h44M382 520h36M386 570h28', dark(c, 0.4), 5),
  };
  const d = type === 'spade' || type === 'rake';
  const grip = d
    ? rect(387, 150, 26, 290, 8, a) +
      path('M330 110h140v26q0 44 -44 44h-52q-44 0 -44 -44Z', dark(a, 0.3)) +
      rect(362, 132, 76, 20, 8, light(a, 0.5))
    : rect(390, 330, 20, 110, 4, dark(c, 0.2)) +
      path('M374 140q26 -24 52 0l6 160q0 40 -32 40q-32 0 -32 -40Z', a) +
      disc(400, 160, 8, dark(a, 0.5)) +
      rect(368, 296, 64, 14, 4, dark(a, 0.25));
  return turn(d ? 18 : 32, grip + heads[type], 400, 400);
}

function secateurs({ c = '#c2452d', a = STEEL, shears = false }) {
  const reach = shears ? 90 : 0;
  let s =
    turn(-14, path('M396 400L352 640Q340 690 372 690Q398 690 402 650L424 410Z', c), 400, 390) +
    turn(14, path('M404 400L448 640Q460 690 428 690Q402 690 398 650L376 410Z', dark(c, 0.15)), 400, 390);
  s +=
    flat(
      `M384 400L372 330C356 ${270 - reach} 380 ${180 - reach} 424 ${130 - reach * 0.5}C440 ${210 - reach} 430 300 424 400Z`,
      a,
    ) + path(`M420 404L440 340C470 300 460 ${240 - reach} 440 ${200 - reach}C420 ${250 - reach} 400 320 388 400Z`, dark(a, 0.22));
  return turn(
    24,
    s + disc(404, 398, 24, '#4a4f55') + disc(404, 398, 9, light(a, 0.3)) + line('M372 500Q400 470 430 500', '#6f767b', 8),
    400,
    400,
  );
}

function gardengloves({ c, a = '#8a5a34' }) {
  const one =
    flat(
      'M240 560L226 320C224 290 258 286 262 318L266 240C268 210 304 210 304 240L308 220C310 192 346 194 346 224L344 260C350 236 382 240 380 270L374 392L404 338C422 312 454 332 442 362L396 466C384 492 376 510 374 560Z',
      c,
    ) +
    path(
      'M226 320C224 290 258 286 262 318L264 330L304 330L306 330L344 330L378 340L374 392L404 338C422 312 454 332 442 362L410 434Q330 470 234 430Z',
      a,
    ) +
    path('M230 546h152v90h-152Z', dark(c, 0.2)) +
    line('M234 590h144', light(c, 0.4), 8);
  return `<g transform="translate(-40 0)">${turn(-6, one, 310, 420)}</g><g transform="matrix(-1 0 0 1 840 0)">${turn(-6, one, 310, 420)}</g>`;
}

function hose({ c, a = '#e0a33c' }) {
  let s = floor(400, 640, 240);
  for (const r of [220, 186, 152, 118])
    s +=
      disc(400, 410, r, 'none', `stroke="${r % 4 ? dark(c, 0.12) : c}" stroke-width="28"`) +
      disc(400, 410, r + 5, 'none', `stroke="${light(c, 0.35)}" stroke-width="4"`);
  return (
    s +
    line('M560 560C620 620 660 560 640 500', c, 28) +
    turn(
      -14,
      rect(616, 420, 48, 80, 10, '#3b3f45') + path('M610 380h60l-8 44h-44Z', a) + rect(604, 360, 72, 24, 8, dark(a, 0.2)),
      640,
      460,
    ) +
    pair(rect(300, 296, 26, 60, 8, '#3b3f45'))
  );
}

function chair({ c, a = WOOD, bench = false }) {
  const w = bench ? 270 : 170;
  let s = floor(400, 680, w + 40) + pair(rect(400 - w + 6, 190, 26, 486, 6, dark(a, 0.15)));
  for (const y of [210, 262, 314, 366]) s += rect(400 - w, y, 2 * w, 34, 8, y === 210 ? light(a, 0.12) : a);
  s +=
    rect(400 - w - 16, 472, 2 * w + 32, 34, 8, a) +
    rect(400 - w - 16, 516, 2 * w + 32, 20, 6, dark(a, 0.2)) +
    pair(
      rect(400 - w - 12, 536, 26, 144, 6, a) +
        rect(400 - w - 26, 400, 46, 20, 8, light(a, 0.1)) +
        rect(400 - w - 14, 416, 18, 60, 0, dark(a, 0.1)),
    );
  return (
    s +
    (c
      ? flat(
          `M${400 - w + 10} 446Q400 430 ${400 + w - 10} 446Q${400 + w} 470 ${400 + w - 10} 482H${400 - w + 10}Q${400 - w} 470 ${400 - w + 10} 446Z`,
          c,
        )
      : '')
  );
}

function table({ c = WOOD, a = '#3b3f45' }) {
  return (
    floor(400, 676, 220) +
    line('M330 420L500 670M470 420L300 670', a, 18) +
    disc(400, 546, 12, light(a, 0.3)) +
    path('M140 390Q400 330 660 390Q660 436 400 446Q140 436 140 390Z', c) +
    path('M140 390Q400 450 660 390V408Q640 446 400 454Q160 446 140 408Z', dark(c, 0.2)) +
    line('M230 386Q400 364 570 386M210 404Q400 420 590 404', dark(c, 0.14), 4) +
    rect(352, 280, 64, 96, 8, '#e9dfc9') +
    plant('herb', 286, '#6f8f55')
  );
}

function lantern({ c, a = '#ffd978' }) {
  const s =
    floor(400, 660, 160) +
    line('M340 200C340 90 460 90 460 200', dark(c, 0.2), 12) +
    disc(400, 440, 220, a, 'opacity=".2"') +
    solid('M400 180L300 240L284 280L400 280', c) +
    rect(300, 280, 200, 320, 4, '#fff4d2') +
    disc(400, 470, 84, a, 'opacity=".5"') +
    rect(364, 480, 72, 120, 6, '#f3ead2') +
    path('M400 400q32 40 16 62q-16 18 -32 0q-16 -22 16 -62Z', '#f2a93b');
  return (
    s + line('M300 280V600M500 280V600M400 280V400M300 440H364M436 440H500', c, 12) + rect(272, 596, 256, 50, 8, dark(c, 0.1))
  );
}

function hammock({ c, a = '#ffffff' }) {
  let s =
    floor(400, 640, 240) +
    line('M110 180L210 360M110 180L190 400M690 180L590 360M690 180L610 400M110 180L200 380M690 180L600 380', '#b08a54', 6) +
    disc(104, 172, 18, 'none', 'stroke="#6f767b" stroke-width="9"') +
    disc(696, 172, 18, 'none', 'stroke="#6f767b" stroke-width="9"');
  s +=
    flat('M200 340C250 500 550 500 600 340C640 400 620 480 560 530C470 590 330 590 240 530C180 480 160 400 200 340Z', c) +
    path('M246 430C330 530 470 530 554 430L580 462C480 570 320 570 220 462Z', a) +
    path('M262 520C350 570 450 570 538 520L516 548C440 580 360 580 284 548Z', a);
  for (let x = 246; x < 570; x += 18) s += line(`M${x} ${560 - Math.abs(x - 400) * 0.12}v44`, a, 4);
  return s;
}

function doormat({ c, a = '#4a3426' }) {
  return (
    path('M150 300L650 300L730 570L70 570Z', '#16181f', 'opacity=".12" transform="translate(8 16)"') +
    path('M150 300L650 300L730 570L70 570Z', c) +
    path('M178 326L622 326L688 544L112 544Z', a) +
    path('M192 338L608 338L670 532L130 532Z', c) +
    path('M400 370q60 -40 80 4q6 40 -80 96q-86 -56 -80 -96q20 -44 80 -4Z', a).replace('/>', ' transform="translate(0 8)"/>') +
    line('M200 470h60M196 490h70M540 470h60M536 490h70', a, 8)
  );
}

export const garden = { wateringcan, tool, secateurs, gardengloves, hose, chair, table, lantern, hammock, doormat };

// Shoes and small clothing, seen from the side or laid flat. `c` is the main colour, `a` the accent.
import { dark, disc, flat, floor, light, line, move, onto, oval, path, rect, solid, turn, whole } from './kit.mjs';

/** Crossed laces from (x, y) downwards along a slope; `k` is the slope of the instep. */
function laces(points, color) {
  return points
    .map(
      ([x, y]) =>
        line(`M${x} ${y}l52 18`, color, 9) +
        disc(x - 3, y - 1, 7, dark(color, 0.45)) +
        disc(x + 54, y + 19, 7, dark(color, 0.45)),
    )
    .join('');
}

function boot({ c, a = '#d9b26a', sole = '#2b2a29', fur = '', tall = false }) {
  const top = tall ? 170 : 236;
  const upper = `M250 ${top}L430 ${top - 8}C436 330 446 380 486 408C560 436 622 452 640 512L642 556L220 556C216 500 232 470 238 420C246 350 248 300 250 ${top}Z`;
  let s = floor(430, 624, 250) + flat(upper, c);
  s += path('M486 408C560 436 622 452 640 512L642 556L520 556C520 490 508 440 452 396Z', dark(c, 0.18));
  s += path('M238 420C232 470 216 500 220 556L330 556C330 490 300 430 238 420Z', dark(c, 0.14));
  s += path(`M430 ${top - 8}C436 330 446 380 486 408L452 452C400 420 372 380 366 ${top - 6}Z`, light(c, 0.12));
  s += laces(
    [
      [376, top + 40],
      [380, top + 84],
      [388, top + 128],
      [404, top + 170],
    ].filter(([, y]) => y < 420),
    a,
  );
  s += fur
    ? [250, 290, 330, 370, 410, 430].map((x, i) => disc(x, top + (i % 2 ? 6 : -2), 30, i % 2 ? fur : dark(fur, 0.07))).join('')
    : path(`M240 ${top - 14}h196v34h-196Z`, dark(c, 0.3)) +
      line(`M262 ${top - 12}C236 ${top - 60} 300 ${top - 60} 292 ${top - 12}`, a, 9);
  s += path(
    'M212 552L646 552C654 580 650 604 640 612L620 612L612 598L590 612L566 612L556 598L534 612L510 612L500 598L478 612L454 612L444 598L420 612L330 612L318 592L296 612L214 612Z',
    sole,
  );
  return s + line('M218 566H644', light(sole, 0.25), 5) + line('M246 470C300 470 322 510 330 548', onto(c, 0.25), 3, '8 7');
}

function sneaker({ c, a = '#f4f1ea', sole = '#f0ece2', low = false }) {
  const upper =
    'M186 408C196 380 238 372 268 388C300 404 330 386 372 344C388 330 408 330 420 344C456 392 520 430 590 444C636 454 652 480 652 520L176 520C170 480 174 440 186 408Z';
  let s = floor(414, 594, 260) + flat(upper, c);
  s += path('M652 520C652 480 636 454 590 444C566 440 544 432 524 422C516 460 528 500 560 520Z', dark(c, 0.15));
  s += path('M186 408C178 440 170 480 176 520L280 520C286 470 260 420 204 384Q190 394 186 408Z', dark(c, 0.12));
  s += path('M372 344C388 330 408 330 420 344C446 380 486 408 530 424L506 452C446 436 392 402 360 356Z', light(c, 0.16));
  s += line('M404 372l-34 32M436 398l-34 34M470 420l-32 36M504 438l-26 36', a, 9);
  if (!low) s += line('M286 500C340 470 372 440 384 418M316 508C380 490 420 470 440 448', a, 12);
  s +=
    path('M170 514L656 514C664 540 658 566 640 574L190 574C172 566 166 540 170 514Z', sole) +
    line('M178 546H652', dark(sole, 0.2), 4);
  return s + line('M214 396C240 412 262 412 280 404', onto(c, 0.3), 5);
}

function derby({ c, a = '#3a2a20', sole = '#2b211b', chelsea = false }) {
  let s = floor(414, 586, 256);
  if (chelsea) {
    s += flat('M236 226L410 220C414 320 424 384 480 412C560 436 640 452 656 512L656 536L216 536C214 470 236 400 236 226Z', c);
    s += path('M300 226L372 224C372 300 366 360 344 414C318 370 302 300 300 226Z', dark(c, 0.45));
    s +=
      line('M312 246L316 320M328 244L332 366M346 244L348 366M360 244L360 316', dark(c, 0.65), 3) +
      line('M250 224C240 176 290 176 282 222', a, 10);
  } else {
    s += flat(
      'M206 396C240 372 300 386 346 388C376 376 400 366 414 370C470 416 560 436 616 452C648 464 658 496 656 536L196 536C192 480 196 430 206 396Z',
      c,
    );
    s +=
      path('M346 388C376 376 400 366 414 370C440 392 470 406 500 418L470 470C410 466 360 440 346 388Z', light(c, 0.14)) +
      line('M424 396l-30 30M454 412l-28 32M484 424l-24 34', a, 8);
    s += line('M300 532C296 470 320 420 346 390', onto(c, 0.3), 3, '8 6');
  }
  s += path('M656 534C656 500 648 466 616 452C600 448 580 443 560 438C540 470 548 512 580 534Z', dark(c, 0.14));
  return (
    s +
    path('M190 532L660 532C664 548 660 560 652 564L314 564L306 584L196 584Z', sole) +
    line('M198 532H654', light(sole, 0.3), 4)
  );
}

function sandal({ c, a = '#c9b48c', sole = '#4a3a2c' }) {
  let s =
    floor(410, 600, 256) +
    path(
      'M160 540C260 520 330 560 430 548C520 536 600 520 660 536C668 570 640 590 600 588L210 590C176 588 156 570 160 540Z',
      sole,
    );
  s += path(
    'M160 534C260 512 330 552 430 540C520 528 600 514 660 530L658 546C600 532 520 546 430 558C330 568 260 532 162 550Z',
    a,
  );
  s +=
    flat('M470 540C480 470 520 440 560 448C610 458 640 490 648 534L600 530C580 490 540 480 520 536Z', c) +
    flat('M240 530C230 440 250 370 300 350L330 362C290 400 288 460 300 540Z', c);
  return (
    s +
    path('M296 352C360 360 420 420 470 470L446 500C400 450 350 400 292 396Z', dark(c, 0.15)) +
    path('M250 400C230 380 210 400 204 440L232 452C236 430 244 424 252 430Z', dark(c, 0.2)) +
    rect(346, 388, 46, 38, 6, '#b9bec2') +
    rect(356, 398, 26, 18, 3, dark(c, 0.2))
  );
}

function beanie({ c, a = '#f2ead8', pom = false, stripe = false }) {
  const ink = onto(c, 0.18);
  let s = pom
    ? disc(400, 186, 62, a) +
      [0, 45, 90, 135, 180, 225, 270, 315].map((d) => turn(d, disc(400, 136, 26, d % 90 ? dark(a, 0.06) : a), 400, 186)).join('')
    : '';
  s += solid('M400 204C270 204 216 310 214 470L400 480', c, 0.07);
  for (const x of [270, 312, 356, 400, 444, 488, 530])
    s += line(`M${x} 466C${x} 380 ${400 + (x - 400) * 0.82} 300 ${400 + (x - 400) * 0.4} 226`, ink, 4);
  if (stripe) s += path('M218 404C330 380 470 380 582 404L584 440C470 416 330 416 216 440Z', a);
  s += path('M192 462Q400 420 608 462Q622 520 606 592Q400 560 194 592Q178 520 192 462Z', dark(c, 0.14));
  for (let x = 218; x <= 590; x += 26) s += line(`M${x} ${462 - 28 * (1 - ((x - 400) / 208) ** 2)}v112`, ink, 4);
  return s + rect(470, 486, 58, 44, 4, a) + line('M482 508h34', c, 5);
}

function cap({ c, a = '#f2ead8', brim = c }) {
  let s = floor(420, 560, 240, 14) + flat('M200 500C196 350 280 262 400 262C520 262 590 350 590 496Q400 452 200 500Z', c);
  s += path('M400 262C520 262 590 350 590 496Q540 484 490 478C490 380 460 300 400 262Z', dark(c, 0.1));
  s +=
    line('M400 262C330 300 300 380 296 478M400 262C460 300 490 380 490 476', onto(c, 0.25), 4) + disc(400, 260, 13, dark(c, 0.3));
  s += flat(
    'M196 498Q400 440 592 494C660 500 716 530 700 552C640 556 590 530 520 520Q340 508 214 528Q196 520 196 498Z',
    dark(brim, 0.16),
  );
  return s + path('M352 398L390 338L410 366L428 344L460 398Z', a);
}

function hat({ c, a = '#6b4a34' }) {
  let s = floor(400, 560, 270, 16) + flat(whole('M400 440C270 440 130 470 118 516C120 556 270 570 400 570'), dark(c, 0.1));
  s += solid('M400 236C340 214 270 240 262 330L244 484Q320 516 400 516', c);
  return s + path('M250 430Q400 476 550 430L556 484Q400 530 244 484Z', a) + line('M340 252Q400 300 460 252', onto(c, 0.25), 5);
}

function gloves({ c, a = '#f2ead8', mitten = false, leather = false }) {
  const ink = onto(c, 0.22);
  const hand = mitten
    ? 'M236 540L224 330C220 230 256 176 304 178C352 180 374 230 372 320L398 262C416 234 450 250 442 284L400 420C388 462 376 480 374 540Z'
    : 'M240 540L226 300C224 270 258 266 262 298L266 220C268 190 304 190 304 220L308 200C310 172 346 174 346 204L344 240C350 216 382 220 380 250L374 372L404 318C422 292 454 312 442 342L396 446C384 472 376 490 374 540Z';
  let one = flat(hand, c);
  if (!mitten) one += line('M264 300L268 352M305 222L304 346M345 240L340 352', ink, 4);
  else if (!leather) one += line('M250 330q24 20 48 0t48 0M252 390q24 20 48 0t48 0M256 450q24 20 48 0t48 0', a, 6);
  one += leather
    ? path('M232 528h148v44h-148Z', dark(c, 0.25)) + line('M300 536v28', a, 6)
    : path('M230 526h152v100h-152Z', dark(c, 0.16)) +
      line('M246 536v80M270 536v80M294 536v80M318 536v80M342 536v80M366 536v80', ink, 4);
  return `${move(-42, 0, turn(-6, one, 310, 400))}<g transform="matrix(-1 0 0 1 842 0)">${turn(-6, one, 310, 400)}</g>`;
}

function scarf({ c, a = '#f2ead8', fringe = true, check = false }) {
  const ink = onto(c, 0.25);
  let fr = '';
  for (let x = 302; x <= 378; x += 15) fr += `M${x} 640v42M${x + 128} 600v42`;
  let s = fringe ? line(fr, dark(c, 0.1), 5) : '';
  s += flat('M300 300L384 300L384 642L296 642Z', c) + flat('M424 300L508 300L512 602L424 602Z', dark(c, 0.08));
  const bands = [470, 520, 570]
    .map((y) => path(`M297 ${y + 20}h87v18h-87Z`, a) + path(`M424 ${y - 20}h87v18h-87Z`, dark(a, 0.08)))
    .join('');
  s += bands + (check ? line('M326 310V640M354 310V640M452 310V600M482 310V600', a, 7) : '');
  return (
    s +
    flat('M232 236C240 150 560 150 568 236C576 330 500 372 400 372C300 372 224 330 232 236Z', c) +
    path('M300 240C320 200 480 200 500 240C480 276 320 276 300 240Z', dark(c, 0.5)) +
    line('M244 270C290 340 500 350 552 262M262 316C320 366 470 370 530 320', ink, 4)
  );
}

function socks({ c, a = '#f2ead8', pattern = 'band', tall = false }) {
  const ink = onto(c, 0.2);
  const top = tall ? 120 : 200;
  let one = flat(
    `M300 ${top}L400 ${top}L402 480C402 500 430 520 470 560C510 600 500 650 452 656C400 660 330 610 306 560C294 530 300 480 300 440Z`,
    c,
  );
  one +=
    path('M306 560C296 530 300 500 300 470C340 470 360 510 356 588C336 582 318 580 306 560Z', a) +
    path('M470 560C510 600 500 650 452 656C430 658 404 650 384 636C400 600 420 570 452 542Z', a);
  one +=
    path(`M296 ${top - 6}h108v64h-108Z`, dark(c, 0.16)) +
    line(`M314 ${top + 4}v44M332 ${top + 4}v44M350 ${top + 4}v44M368 ${top + 4}v44M386 ${top + 4}v44`, ink, 4);
  if (pattern === 'band') one += path(`M300 ${top + 84}h101v20h-101ZM300 ${top + 122}h101v10h-101Z`, a);
  else if (pattern === 'fir')
    for (let y = top + 110; y < 440; y += 84) one += path(`M350 ${y - 34}l26 40h-14l22 34h-68l22 -34h-14Z`, a);
  else one += line(`M300 ${top + 100}h100M300 ${top + 150}h100M300 ${top + 200}h101M300 ${top + 250}h101`, a, 8);
  return move(-96, 0, one) + move(60, 24, one);
}

function belt({ c, a = '#b8bcc0', braid = false, key = false }) {
  let s =
    floor(400, 590, 230) +
    oval(400, 440, 236, 150, dark(c, 0.35)) +
    oval(400, 424, 236, 150, c) +
    oval(400, 410, 186, 104, dark(c, 0.5)) +
    oval(400, 426, 186, 104, light('#dcd8d0', 0.1));
  s += line('M180 440C200 540 300 580 400 580C500 580 600 540 620 440', onto(c, 0.25), 4, braid ? '16 10' : '9 8');
  if (braid) s += line('M176 410C190 510 300 560 400 560C500 560 610 510 624 410', onto(c, 0.3), 10, '4 18');
  s +=
    flat('M440 512L640 566C666 576 666 612 640 620L420 580Z', c) +
    disc(560, 578, 7, dark(c, 0.55)) +
    disc(600, 588, 7, dark(c, 0.55)) +
    disc(520, 568, 7, dark(c, 0.55));
  s += path('M358 492h104v112h-104ZM378 512v72h64v-72Z', a, 'fill-rule="evenodd"') + rect(398, 538, 66, 14, 6, dark(a, 0.2));
  return s + (key ? disc(250, 560, 22, 'none', `stroke="${a}" stroke-width="9"`) : '');
}

function wallet({ c, a = '#d9b26a' }) {
  let s = flat('M180 270Q180 250 200 250L600 250Q620 250 620 270L620 550Q620 570 600 570L200 570Q180 570 180 550Z', c);
  s +=
    rect(196, 232, 270, 30, 6, '#e6ddc8') +
    rect(210, 222, 240, 26, 6, '#c3d0d6') +
    path('M180 290h440v-20q0 -20 -20 -20h-400q-20 0 -20 20Z', dark(c, 0.08));
  s +=
    line('M196 272H604V554H196Z', light(c, 0.3), 4, '11 8') +
    flat('M620 370L500 370Q470 370 470 410Q470 450 500 450L620 450Z', dark(c, 0.16)) +
    disc(516, 410, 15, a) +
    disc(516, 410, 6, dark(a, 0.4));
  return s;
}

export const accessories = { boot, sneaker, derby, sandal, beanie, cap, hat, gloves, scarf, socks, belt, wallet };

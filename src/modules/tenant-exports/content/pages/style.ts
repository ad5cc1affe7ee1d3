import { createHash } from 'node:crypto'

/** Within each page, so that a page that was taken out of its folder can still be read. Nothing in it has to be escaped. */
export const style = `
:root{color-scheme:light dark;--ground:#f4f5f2;--surface:#fff;--line:#dfe3dc;--ink:#18201d;--soft:#55605b;--link:#17594c;--focus:#1665d1;--warn:#835400;--warn-tint:#fcf0d9;--bad:#a8261d;--head:#eef0ed}
@media (prefers-color-scheme:dark){:root{--ground:#0f1312;--surface:#161b1a;--line:#333c38;--ink:#e8ecea;--soft:#a3aeaa;--link:#7fcdb9;--focus:#79b4ff;--warn:#f0c674;--warn-tint:#33270e;--bad:#ff9b90;--head:#1f2725}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,Segoe UI,Roboto,Helvetica Neue,Arial,sans-serif}
a{color:var(--link)}
a:focus-visible,div:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:1rem;background:var(--surface);padding:.5rem .75rem}
header{background:var(--surface);border-bottom:1px solid var(--line);padding:.75rem 1.5rem}
header p,nav{max-width:73rem;margin:0 auto .25rem}
header p{font-weight:600}
nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:0 1.25rem}
nav a{display:inline-block;padding:.3rem 0}
nav a[aria-current]{color:var(--ink);font-weight:600;text-decoration:none;border-bottom:2px solid var(--link)}
main{max-width:76rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.125rem;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:1.5rem 0 .5rem}
p{margin:.5rem 0;max-width:70ch}
.lead{color:var(--soft);margin:0 0 1rem}
.note{color:var(--soft)}
.warning{background:var(--warn-tint);border-left:3px solid var(--warn);padding:.5rem .75rem;max-width:none}
.scroll{overflow-x:auto;background:var(--surface);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem;border-bottom:1px solid var(--line)}
tbody tr:last-child th,tbody tr:last-child td{border-bottom:0}
thead th{background:var(--head);font-weight:600;white-space:nowrap}
tbody th{font-weight:600}
td.number{text-align:right;font-variant-numeric:tabular-nums}
th.number{text-align:right}
td a,tbody th a{white-space:nowrap}
tbody th a.wrap{white-space:normal;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:minmax(9rem,16rem) 1fr;background:var(--surface);border:1px solid var(--line);border-radius:8px;margin:.75rem 0;overflow:hidden}
dt,dd{margin:0;padding:.4rem .75rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere;white-space:pre-line}
dt{color:var(--soft)}
dd:last-child,dt:nth-last-child(2){border-bottom:0}
pre,code{font-family:ui-monospace,DejaVu Sans Mono,monospace;font-size:.8125rem}
pre{background:var(--surface);border:1px solid var(--line);border-radius:8px;padding:.75rem;white-space:pre-wrap;overflow-wrap:anywhere}
.text{white-space:pre-line;overflow-wrap:anywhere;max-width:80ch}
.pages{display:flex;flex-wrap:wrap;gap:.25rem .75rem;margin:1rem 0;padding:0;list-style:none}
footer{color:var(--soft);font-size:.8125rem;max-width:76rem;margin:0 auto;padding:0 1.5rem 2rem}
footer p{max-width:none;overflow-wrap:anywhere}
@media (max-width:64rem){th,td{padding:.4rem .5rem}table{font-size:14px}}
@media (max-width:40rem){header,main{padding-left:1rem;padding-right:1rem}footer{padding-left:1rem;padding-right:1rem}dl{grid-template-columns:1fr}dt{border-bottom:0;padding-bottom:0}}
@media (pointer:coarse){nav a,.pages a,tbody th a{padding:.65rem 0}tbody th a{display:inline-block;min-width:2.75rem}}
@media print{:root{color-scheme:light;--ground:#fff;--surface:#fff;--line:#bbb;--ink:#000;--soft:#444;--link:#000;--head:#eee;--warn-tint:#fff}nav,.skip{display:none}header,main,footer{padding-left:0;padding-right:0}main{max-width:none}.scroll{overflow:visible;border:0}thead{display:table-header-group}tr{break-inside:avoid}h2,h3{break-after:avoid}body{font-size:10pt}}
`

/** Nothing runs in these pages and nothing is fetched, whatever a record has in it. */
export const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`

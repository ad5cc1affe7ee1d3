import type { Language } from '#kernel/message.ts'
import { type Print, printIn } from '#kernel/print.ts'
import { html } from '#platform/html.ts'
import { printed } from '../../messages.ts'
import { policy, style } from './style.ts'

/** What each page says of the archive that it is in. */
export interface Surroundings {
  language: Language
  company: string
  /** When the records were as they are shown, in words. */
  moment: string
}

export const places = [
  ['index', 'index.html'],
  ['documents', 'pages/documents.html'],
  ['deviations', 'pages/deviations.html'],
  ['capas', 'pages/capas.html'],
  ['training', 'pages/training.html'],
  ['people', 'pages/people.html'],
  ['signatures', 'pages/signatures.html'],
  ['trail', 'pages/trail.html'],
] as const
export type Place = (typeof places)[number][0]

const names: Record<Place, Print> = {
  index: printed.export_page_overview(),
  documents: printed.export_page_documents(),
  deviations: printed.export_page_deviations(),
  capas: printed.export_page_capas(),
  training: printed.export_page_training(),
  people: printed.export_page_people(),
  signatures: printed.export_page_signatures(),
  trail: printed.export_page_trail(),
}
export const nameOfPlace = (place: Place): Print => names[place]

/** Back to the folder of the archive from a page in it. */
export const rootFrom = (path: string) => '../'.repeat(path.split('/').length - 1)

/** A whole page. `body` is markup that `html` made: every text in it is escaped. */
export function pageOf(
  { language, company, moment }: Surroundings,
  { path, place, title, body }: { path: string; place: Place; title: string; body: string },
): string {
  const say = (text: Print) => printIn(language, text)
  const root = rootFrom(path)
  const links = places.map(([name, to]) =>
    name === place
      ? html`<li><a href="${root}${to}" aria-current="${to === path ? 'page' : 'true'}">${say(names[name])}</a></li>`
      : html`<li><a href="${root}${to}">${say(names[name])}</a></li>`,
  )
  const before = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${company}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">${say(printed.export_skip_to_content())}</a>
<header>
<p>${company}</p>
<nav aria-label="${say(printed.export_navigation())}"><ul>${links}</ul></nav>
</header>
<main id="content">
`
  const after = html`</main>
<footer><p>${say(printed.export_footer({ moment }))}</p></footer>
</body>
</html>
`
  return `${before.text}${body}${after.text}`
}

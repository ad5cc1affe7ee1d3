// The blocks of printed records as HTML.
import type { Language } from '#kernel/message.ts'
import { printedIn } from '#kernel/print.ts'
import { html, type Markup } from '#platform/html.ts'
import type { Flow, Run } from '#platform/markdown/flow.ts'
import type { Block } from '#platform/pdf/rendition.ts'

type Made = Extract<Parameters<typeof printedIn<Printed>>[1], unknown>
type Printed =
  | { kind: 'title' | 'heading' | 'text' | 'note' | 'warning'; text: string }
  | { kind: 'facts'; facts: [string, string][] }
  | { kind: 'table'; columns: { title: string }[]; rows: string[][] }
  | { kind: 'page' }
  | { kind: 'flow'; flow: Flow[] }

export const blocksAsHtml = (blocks: readonly Block[], language: Language): Markup[] =>
  blocks.map(block => blockAsHtml(printedIn<Printed>(language, block as Made)))

function blockAsHtml(block: Printed): Markup {
  switch (block.kind) {
    case 'title':
    case 'heading':
      return html`<h2>${block.text}</h2>\n`
    case 'text':
      return html`<p class="text">${block.text}</p>\n`
    case 'note':
      return html`<p class="note">${block.text}</p>\n`
    case 'warning':
      return html`<p class="warning">${block.text}</p>\n`
    case 'facts':
      return factsAsHtml(block.facts)
    case 'table':
      return tableAsHtml(
        block.columns.map(({ title }) => title),
        block.rows.map(row => row.map(cell => html`${cell}`)),
      )
    case 'page':
      return html``
    case 'flow':
      return html`${block.flow.map(flowAsHtml)}`
  }
}

export const factsAsHtml = (facts: readonly (readonly [name: string, value: string | Markup])[]): Markup =>
  html`<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>\n`

/** A table that is wider than the window is moved within it, also by the keyboard. */
export function tableAsHtml(
  head: readonly string[],
  rows: readonly (readonly Markup[])[],
  { named, isHeaded = false, numbers = [] }: { named?: string; isHeaded?: boolean; numbers?: readonly number[] } = {},
): Markup {
  const align = (n: number) => (numbers.includes(n) ? html` class="number"` : html``)
  const cellOf = (cell: Markup, n: number) =>
    isHeaded && n === 0 ? html`<th scope="row">${cell}</th>` : html`<td${align(n)}>${cell}</td>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${named ?? head.filter(Boolean).join(', ')}"><table>
<thead><tr>${head.map((title, n) => html`<th scope="col"${align(n)}>${title}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr>${row.map(cellOf)}</tr>\n`)}</tbody>
</table></div>\n`
}

const runsAsHtml = (runs: readonly Run[]) => html`${runs.map(runAsHtml)}`

function runAsHtml({ text, bold, italic, strike, code }: Run): Markup {
  let markup = html`${text}`
  if (code) markup = html`<code>${markup}</code>`
  if (strike) markup = html`<s>${markup}</s>`
  if (italic) markup = html`<em>${markup}</em>`
  return bold ? html`<strong>${markup}</strong>` : markup
}

function flowAsHtml(flow: Flow): Markup {
  switch (flow.kind) {
    case 'heading':
      return html`<h3>${runsAsHtml(flow.runs)}</h3>\n`
    case 'paragraph':
      return html`<p class="text">${runsAsHtml(flow.runs)}</p>\n`
    case 'list': {
      const items = flow.items.map(item => html`<li>${item.map(flowAsHtml)}</li>`)
      return flow.start === null ? html`<ul>${items}</ul>\n` : html`<ol start="${flow.start}">${items}</ol>\n`
    }
    case 'quote':
      return html`<blockquote>${flow.flow.map(flowAsHtml)}</blockquote>\n`
    case 'table':
      return tableAsHtml(
        flow.head.map(runs => runs.map(({ text }) => text).join('')),
        flow.rows.map(row => row.map(runsAsHtml)),
      )
    case 'code':
      return html`<pre>${flow.text}</pre>\n`
    case 'rule':
      return html`<hr>\n`
  }
}

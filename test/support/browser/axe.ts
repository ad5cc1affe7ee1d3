// The rules of accessibility, as axe examines them in a page.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** Those that another theme can break. */
const ofColours = ['color-contrast', 'link-in-text-block']

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const examined = {
  /** Beyond what WCAG asks for. */
  everything: {},
  wcag: { runOnly: { type: 'tag', values: wcag } },
  colours: { runOnly: { type: 'rule', values: ofColours } },
} satisfies Record<string, RunOptions>

/** Each rule that the page breaks, with the elements. */
export async function faultsOf(page: Page, what: keyof typeof examined): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(await source)
  const options: RunOptions = { ...examined[what], resultTypes: ['violations'] }
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => id + ': ' + help + ': ' + nodes.map(({ html }) => html).join(' ')))`)
}

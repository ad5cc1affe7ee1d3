// A page gone through by the Tab key alone, from its content until the focus comes round.
import type { Page } from 'playwright-core'

/** Looks at each element as it gets the focus. Installed in the page: what it finds is asked for once all keys are pressed. */
const observer = `{
  const shown = element => {
    const { visibility } = getComputedStyle(element)
    const { width, height } = element.getBoundingClientRect()
    return visibility === 'visible' && width > 0 && height > 0
  }
  const words = ids => (ids ?? '').split(' ').map(id => document.getElementById(id)?.textContent ?? '').join(' ').trim()
  const nameOf = element =>
    words(element.getAttribute('aria-labelledby')) ||
    element.getAttribute('aria-label') ||
    [...(element.labels ?? [])].map(label => label.textContent).join(' ').trim() ||
    element.textContent.trim() ||
    element.title
  const inWords = element => (element.getAttribute('role') ?? element.tagName.toLowerCase()) + ' ' + (nameOf(element) || element.outerHTML).slice(0, 80)
  // A field that is drawn by what stands around it, such as a radio button, shows the focus there.
  const isRing = ({ outlineStyle, outlineWidth, boxShadow }) => (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none'
  // What is drawn by its surroundings, such as a radio button or the button of a drop zone, shows the focus there; the link of a row on the row.
  const hasRing = element =>
    isRing(getComputedStyle(element)) || isRing(getComputedStyle(element, '::after')) ||
    [element.parentElement, element.parentElement?.parentElement, element.parentElement?.parentElement?.parentElement].some(each => each && isRing(getComputedStyle(each)))
  const isCovered = element => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const x = Math.min(Math.max((left + right) / 2, 1), innerWidth - 2)
    const y = Math.min(Math.max((top + bottom) / 2, 1), innerHeight - 2)
    const at = document.elementFromPoint(x, y)
    return !at || !(element.contains(at) || at.contains(element) || element.closest('label')?.contains(at) || at.closest('label')?.contains(element))
  }
  const faultsOf = element => {
    const faults = []
    const { top, bottom, left, right, height } = element.getBoundingClientRect()
    // One that is read out, and drawn by what stands around it.
    const { opacity, clipPath, clip } = getComputedStyle(element)
    const isDrawn = height >= 3 && opacity !== '0' && clipPath === 'none' && clip === 'auto' && !element.closest('[style*="clip"]')
    if (!nameOf(element)) faults.push('no name')
    if (!hasRing(element)) faults.push('no sign of the focus')
    if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth) faults.push('out of sight')
    else if (isDrawn && height < innerHeight && isCovered(element)) faults.push('covered')
    return faults.map(fault => fault + ': ' + inWords(element))
  }
  const composite = '[role=grid], [role=treegrid], [role=tablist], [role=radiogroup], [role=toolbar], [role=listbox], [role=menu], [role=group]:has([role=spinbutton])'
  globalThis.walked = {
    seen: new Map(), key: 0, last: {}, isRound: false,
    begin() {
      this.seen.clear(); this.last = {}; this.isRound = false
      const content = document.getElementById('content')
      content.focus()
    },
    /** Buttons, links and fields that the Tab key did not reach; within a composite the arrow keys go on. */
    end() {
      const pressable = document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary, [tabindex="0"])')
      const left = [...pressable].filter(each => shown(each) && !each.disabled && !this.seen.has(each) && !each.closest(composite) && !each.closest('[aria-hidden=true], [inert]') && each.type !== 'radio' && each.tabIndex >= 0)
      const isPressed = element => {
        const key = Object.keys(element).find(name => name.startsWith('__reactProps$'))
        return key !== undefined && typeof element[key].onClick === 'function'
      }
      const keyless = [...document.querySelectorAll('main *')].filter(each => isPressed(each) && shown(each) &&
        !each.matches('a, button, input, select, textarea, summary, label, [tabindex]') &&
        !each.closest('a, button, label, [tabindex], [aria-hidden=true]') && !each.querySelector('a, button, input, select, textarea, [tabindex]'))
      return [...[...this.seen.values()].flat(), ...left.map(each => 'not reached: ' + inWords(each)), ...keyless.map(each => 'by mouse alone: ' + inWords(each))]
    },
  }
  window.addEventListener('keydown', () => globalThis.walked.key++, true)
  document.addEventListener('focusin', ({ target }) => {
    const { walked } = globalThis
    if (target !== document.activeElement) return
    // A grid takes the focus for a moment, to hand it on: nobody sees that.
    if (walked.last.key === walked.key) walked.seen.delete(walked.last.target)
    walked.last = {}
    if (!target.closest('main')) walked.isRound ||= target.matches('a[href="#content"]')
    else if (target.id !== 'content' && !walked.isRound && !walked.seen.has(target)) {
      walked.seen.set(target, faultsOf(target))
      walked.last = { key: walked.key, target }
    }
  })
}`

/** Each fault that somebody meets who goes through the content of the page by the Tab key. */
export async function walk(page: Page): Promise<string[]> {
  if (!(await page.evaluate(`'walked' in globalThis`))) await page.evaluate(observer)
  const go = async () => {
    await page.locator('main').getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
    await page.evaluate('walked.begin()')
    // Many keys at once: each alone would wait for its answer.
    for (let presses = 0; presses < 400; presses += 20) {
      await Promise.all(Array.from({ length: 20 }, () => page.keyboard.press('Tab')))
      if (await page.evaluate('walked.isRound')) return page.evaluate<string[]>('walked.end()')
    }
    return ['the focus does not come round']
  }
  // A part that came while the keys were pressed was not there to be reached.
  return (await go()).length === 0 ? [] : go()
}

/** By keys alone: the button opens a dialog that holds the focus, and Escape closes it and gives the focus back. */
export async function tryDialog(page: Page, name: string | RegExp): Promise<string[]> {
  const opener = page.getByRole('main').getByRole('button', { name, exact: true }).first()
  await opener.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  const faults: string[] = []
  await page.evaluate(`document.addEventListener('focusin', globalThis.seeLeaving = ({ target }) => {
    if (!target.closest('[role=dialog]')) globalThis.hasLeft = true
  })`)
  // Beyond its last element and, backwards, beyond its first; many keys at once.
  for (const key of ['Tab', 'Shift+Tab']) {
    await Promise.all(Array.from({ length: 20 }, () => page.keyboard.press(key)))
    const isWithin = await page.evaluate(
      `!globalThis.hasLeft && document.activeElement.closest('[role=dialog]') !== null`,
    )
    if (!isWithin) faults.push(`${name}: ${key} leaves the dialog`)
  }
  await page.evaluate(`document.removeEventListener('focusin', globalThis.seeLeaving); globalThis.hasLeft = false`)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const isBack = opener.and(page.locator(':focus'))
  await isBack.waitFor({ timeout: 2000 }).catch(() => faults.push(`${name}: the focus does not come back`))
  return faults
}

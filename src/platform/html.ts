/** Markup that is sent unescaped. Only `html` creates it. */
class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type { Markup }

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const shown = (value: string | number | Markup | readonly Markup[]): string => {
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return String(value).replace(/[&<>"']/g, each => entities[each]!)
}

/** The literal parts are markup. Values are escaped as text, unless they are Markup themselves. */
export const html = (
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Markup | readonly Markup[])[]
): Markup => new Markup(parts.reduce((before, part, index) => before + shown(values[index - 1]!) + part))

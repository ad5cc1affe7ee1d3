const million = 1_000_000

/** Millionths of a currency that only the company knows. */
export const micros = (amount: number, locale: string) =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(amount / million)

/** As somebody types it: with a comma or a point, and with or without blanks; undefined for what is no number. */
export function numberIn(text: string, { decimals = false } = {}): number | undefined {
  const plain = text.replaceAll(/[\s\u00a0']/g, '')
  if (!decimals) return /^\d{1,15}$/.test(plain) ? Number(plain) : undefined
  return /^\d{1,9}([.,]\d{1,6})?$/.test(plain) ? Number(plain.replace(',', '.')) : undefined
}

export const toMicros = (text: string) => {
  const amount = numberIn(text, { decimals: true })
  return amount === undefined ? undefined : Math.round(amount * million)
}

export const fromMicros = (amount: number) => String(amount / million)

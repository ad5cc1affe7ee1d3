/** A day as people copy it from elsewhere: 2026-03-01, 01.03.2026, 1/3/2026. The day comes before the month, as these pages write it. */
export function dayFromText(text: string): string | undefined {
  const trimmed = text.trim()
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(trimmed)
  const written = /^(\d{1,2})[./-]\s?(\d{1,2})[./-]\s?(\d{4})$/.exec(trimmed)
  const parts = iso ? [iso[1]!, iso[2]!, iso[3]!] : written ? [written[3]!, written[2]!, written[1]!] : undefined
  if (!parts) return undefined
  const day = [parts[0]!, parts[1]!.padStart(2, '0'), parts[2]!.padStart(2, '0')].join('-')
  return isDay(day) ? day : undefined
}

/** A day that there is: not 30 February. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

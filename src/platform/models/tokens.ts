/**
 * More tokens than a model is likely to make of a text: for limits, before anything is sent. Tokens of words have four letters and
 * more, but every digit and sign may be one, and of other scripts nearly every byte.
 */
export function countTokens(text: string): number {
  const letters = text.match(/[A-Za-z ]/g)?.length ?? 0
  const foreign = text.match(/\P{ASCII}+/gu)?.join('') ?? ''
  return Math.ceil(letters / 3 + (text.length - foreign.length - letters) + Buffer.byteLength(foreign) * 0.75)
}

/** What a provider says that it took, where that can be; otherwise what we estimate: limits are counted by it. */
export function believable(told: number | undefined, estimate: number, most: number): number {
  return told !== undefined && Number.isSafeInteger(told) && told > 0 && told <= most ? told : estimate
}

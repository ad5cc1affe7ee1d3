/**
 * An upper estimate of the tokens of a text, for limits before anything is sent. Tokens of words have four letters and more, but every
 * digit and sign may be a token, and in other scripts nearly every byte.
 */
export function countTokens(text: string): number {
  const letters = text.match(/[A-Za-z ]/g)?.length ?? 0
  const foreign = text.match(/\P{ASCII}+/gu)?.join('') ?? ''
  return Math.ceil(letters / 3 + (text.length - foreign.length - letters) + Buffer.byteLength(foreign) * 0.75)
}

/** The provider's count if it is plausible, otherwise our estimate. Limits are counted by it. */
export function believable(reported: number | undefined, estimate: number, most: number): number {
  return reported !== undefined && Number.isSafeInteger(reported) && reported > 0 && reported <= most
    ? reported
    : estimate
}

const digest = async (...parts: Uint8Array[]) => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
const nodeOf = (left: Uint8Array, right: Uint8Array) => digest(Uint8Array.of(1), left, right)
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), each => each.charCodeAt(0))
const base64Of = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

export interface InclusionProof {
  leaf: string
  /** The place of the entry in its tree, from 0. */
  index: number
  size: number
  /** In base64, from below. */
  proof: string[]
}

/** The root that the proof leads to from the hashed bytes of the entry (RFC 9162, 2.1.3.2), in base64; undefined if it leads nowhere. */
export async function rootFrom({ leaf, index, size, proof }: InclusionProof): Promise<string | undefined> {
  let hash = await digest(Uint8Array.of(0), new TextEncoder().encode(leaf))
  let [at, last] = [index, size - 1]
  if (at > last) return undefined
  for (const each of proof.map(bytesOf)) {
    if (last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      hash = await nodeOf(each, hash)
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
    } else hash = await nodeOf(hash, each)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? base64Of(hash) : undefined
}

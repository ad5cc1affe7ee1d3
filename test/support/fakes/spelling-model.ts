import type { Embeddings } from '#platform/models/embeddings.ts'
import { unit } from '#platform/models/unit.ts'

const dimensions = 1024

/** The number of places of a feature. With one place, two features that share it could not be distinguished. */
const spread = 64
const grams = [3, 4, 5]
const maxWordLength = 40
/** The weight of a word together with its pieces. */
const weightOfWord = 0.5
const weightOfPieces = 0.5

// Words that every text has, in the usual languages of documents. The length of other words tells how common they are.
const idle = new Set(
  `a an and are as at be been but by can do for from had has have he her his how i if in into is it its may must no not of on or our shall
  she should so such than that the their them then there these they this to was we were what when where which who will with would you your
  aber als am an auch auf aus bei bis das dass dem den der des die ein eine einem einen einer es fur hat ich im in ist mit nach nicht oder
  sich sie sind und unter von vor wenn wer werden wie wird zu zum zur
  au aux avec ce ces dans de des du elle en est et il la le les leur ne ou par pas pour qui que sa se ses son sont sur un une
  al como con de del el ella es esta la las lo los no o para por que se sin su sus un una y`.split(/\s+/),
)

/**
 * A model that needs no file and answers the same everywhere: it knows how words are spelled, and nothing of what they mean. Vectors of
 * another provider would need a network or a model on the disk.
 */
export const spellingModel: Embeddings = {
  ...{ id: `test:spelling:${dimensions}`, dimensions, isLocal: true },
  embed: async texts => texts.map(text => unit(vectorOf(text))),
  state: () => ({ status: 'Operational' }),
  reach: async () => {},
  former: () => undefined,
}

/**
 * A vector of the spelling of a text: its words and their pieces, each spread over places by its hash. Texts are near if they share words,
 * forms of words, parts of compounds, or words with another spelling.
 */
function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const [feature, weight] of featuresOf(text)) {
    let state = feature | 1
    for (let place = 0; place < spread; place++) {
      state = next(state)
      vector[state >>> 22]! += state & 1024 ? weight : -weight
    }
  }
  return vector
}

/** The features with the logarithm of their frequency. */
function featuresOf(text: string): Map<number, number> {
  const counts = new Map<string, number>()
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
  for (const [word] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (idle.has(word)) continue
    const known = word.slice(0, maxWordLength)
    counts.set(known, (counts.get(known) ?? 0) + 1)
  }
  const features = new Map<number, number>()
  const add = (feature: string, weight: number) => {
    const key = hashOf(feature)
    features.set(key, (features.get(key) ?? 0) + weight)
  }
  for (const [word, count] of counts) {
    const weight = weightOf(word) * (1 + Math.log(count))
    add(word, weight * weightOfWord)
    const pieces = piecesOf(`<${word}>`)
    const share = (weight * weightOfPieces) / Math.sqrt(pieces.length)
    for (const piece of pieces) add(piece, share)
  }
  return features
}

/** Short words are in many texts, and numbers in few. */
const weightOf = (word: string) => (/\d/.test(word) ? 1 : Math.sqrt(Math.min(word.length, 8) / 8))

function piecesOf(word: string): string[] {
  const pieces: string[] = []
  for (const length of grams)
    for (let start = 0; start + length <= word.length; start++) {
      const piece = word.slice(start, start + length)
      if (piece !== word) pieces.push(`#${piece}`)
    }
  return pieces.length > 0 ? pieces : [`#${word}`]
}

/** FNV-1a with a mixing step, so that similar spellings have distant hashes. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

function next(state: number): number {
  let moved = state
  moved ^= moved << 13
  moved ^= moved >>> 17
  moved ^= moved << 5
  return moved
}

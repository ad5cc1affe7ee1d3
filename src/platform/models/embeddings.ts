/** Some models embed a query differently from a passage. */
export type TextKind = 'passage' | 'query'

/** Makes vectors of texts. Vectors of similar texts are near each other. */
export interface Embeddings {
  /** Provider, model and dimensions. Vectors of different ids are not comparable. */
  id: string
  dimensions: number
  /** True if it runs in this process, so that no text leaves it. */
  isLocal: boolean
  /** Vectors of unit length; all zero for a text without content. */
  embed(texts: readonly string[], kind: TextKind, signal?: AbortSignal): Promise<Float32Array[]>
  /** The state by the latest calls. */
  state(): { status: 'Operational' | 'Down'; detail?: string }
  /** Checks that the provider answers, without sending a text. Throws if it does not. */
  reach(signal: AbortSignal): Promise<void>
  /** The model of this id at the same provider, if available. Search uses it until the texts are indexed by the present one. */
  former(id: string): Embeddings | undefined
}

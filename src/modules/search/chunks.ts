/** A piece of a text: what an answer quotes. Of one page and under one heading. */
export interface Chunk {
  page: number | null
  heading: string | null
  body: string
}

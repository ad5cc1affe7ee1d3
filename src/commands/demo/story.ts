import type { Visit } from './visit.ts'

/** Something that one person does to a record. Each leaves exactly one mark, by which a later start knows how far the story went. */
export type Deed = (visit: Visit, id: number) => Promise<unknown>

/** How far the story of a record went. That the record was made is its first mark. */
export interface Begun {
  id: number
  marks: number
}

/** Goes on where an earlier start was ended. */
export async function tell(
  visit: Visit,
  {
    line,
    deeds,
    begun,
    begin,
  }: { line: string; deeds: Deed[]; begun: Begun | undefined; begin(): Promise<{ id: number }> },
) {
  const done = begun?.marks ?? 0
  if (done > deeds.length) return
  visit.say(line)
  const { id } = begun ?? (await begin())
  for (const deed of deeds.slice(Math.max(done - 1, 0))) await deed(visit, id)
}

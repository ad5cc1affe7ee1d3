export type Outcome = 'signed' | 'approved' | 'rejected' | 'skipped'

/** A record of the series. It is known by its page. */
export interface Waiting {
  page: string
  number: string
  title: string
}
export type Member = Waiting & { outcome?: Outcome }

/** The next one that nothing became of yet: after this one, and then from the beginning. */
export const nextOf = (members: readonly Member[], page: string | undefined): Member | undefined => {
  const at = members.findIndex(each => each.page === page)
  return [...members.slice(at + 1), ...members.slice(0, Math.max(at, 0))].find(({ outcome }) => outcome === undefined)
}

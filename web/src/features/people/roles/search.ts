export interface NewRoleSearch {
  /** The role that a new one inherits from. */
  inherits?: number | undefined
}

export function newRoleSearch({ inherits }: Record<string, unknown>): NewRoleSearch {
  const id = Number(inherits)
  return Number.isSafeInteger(id) && id > 0 ? { inherits: id } : {}
}

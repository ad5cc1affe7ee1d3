import { textOf } from '../../app/addresses.ts'

export interface NewDocumentSearch {
  /** Missing: from a file. */
  from?: 'template' | undefined
  template?: number | undefined
}

export function newDocumentSearch({ from, template }: Record<string, unknown>): NewDocumentSearch {
  if (from !== 'template') return {}
  return { from, ...(/^[1-9]\d{0,8}$/.test(textOf(template)) && { template: Number(textOf(template)) }) }
}

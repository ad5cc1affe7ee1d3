import type { ActionContext } from '#action'

export interface EndedVersion {
  document_id: number
  version_id: number
  version: string
  /** The state that it left the effective one for. */
  status: string
}

/** The part of the module of controlled copies that documents need. */
export interface ControlledCopies {
  /** Called in the transaction in which a version is no longer effective, with the document's lock held. */
  recall(context: ActionContext<unknown>, version: EndedVersion): Promise<void>
}

declare module '#action/definitions.ts' {
  interface Services {
    controlledCopies: ControlledCopies
  }
}

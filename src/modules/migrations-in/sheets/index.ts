import type { AnySheet, SheetName } from '../sheet.ts'
import { approvals } from './approvals.ts'
import { capaActions } from './capa-actions.ts'
import { capas } from './capas.ts'
import { curricula } from './curricula.ts'
import { deviations } from './deviations.ts'
import { documents, versions } from './documents.ts'
import { groups, members } from './groups.ts'
import { links } from './links.ts'
import { training } from './training.ts'
import { users } from './users.ts'

/** The sheets that a manifest can have. */
export const sheets: Record<SheetName, AnySheet> = {
  ...{ users, groups, members, documents, versions, approvals, curricula, training, deviations, capas, links },
  capa_actions: capaActions,
}

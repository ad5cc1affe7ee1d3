import { Type } from 'typebox'
import { type Route, route } from '#http'
import { IdParams, Ref } from '#kernel/schema.ts'
import { exportDossier, exportRecord } from './actions.ts'
import { capas } from './kinds/capa.ts'
import { deviations } from './kinds/deviation.ts'
import { documents } from './kinds/document.ts'
import { assignments, trainingRecords } from './kinds/training.ts'

export { signaturePages } from './pdf.ts'
export type { Kind as DossierKind, Subject } from './subject.ts'

/** The kinds of record that people read on paper. */
export const recordKinds = { documents, deviations, capas, trainingRecords }

const own = ' Your own, or with the permission `training.read_all` any.'

export const routes: Route[] = [
  route(
    'GET',
    '/api/documents/:id/dossier',
    exportDossier(documents, IdParams, {
      summary: 'Export the dossier of a document',
      event: 'document.dossier_exported',
      needs: 'Also needs `documents.download`, and the right to read every version.',
    }),
  ),
  route(
    'GET',
    '/api/deviations/:id/record.pdf',
    exportRecord(deviations, IdParams, {
      summary: 'Print the record of a deviation',
      event: 'deviation.record_exported',
      permission: 'deviations.read',
    }),
  ),
  route(
    'GET',
    '/api/deviations/:id/dossier',
    exportDossier(deviations, IdParams, {
      summary: 'Export the dossier of a deviation',
      event: 'deviation.dossier_exported',
      needs: 'Also needs `deviations.read`.',
    }),
  ),
  route(
    'GET',
    '/api/capa/:id/record.pdf',
    exportRecord(capas, IdParams, {
      summary: 'Print the record of a CAPA with its effectiveness reviews',
      event: 'capa.record_exported',
      permission: 'capa.read',
    }),
  ),
  route(
    'GET',
    '/api/capa/:id/dossier',
    exportDossier(capas, IdParams, {
      summary: 'Export the dossier of a CAPA with its effectiveness reviews',
      event: 'capa.dossier_exported',
      needs: 'Also needs `capa.read`.',
    }),
  ),
  route(
    'GET',
    '/api/training/assignments/:id/record.pdf',
    exportRecord(assignments, IdParams, {
      summary: 'Print the record of a training assignment',
      event: 'training_assignment.record_exported',
      permission: 'training.read_own',
      needs: own,
    }),
  ),
  route(
    'GET',
    '/api/training/assignments/:id/dossier',
    exportDossier(assignments, IdParams, {
      summary: 'Export the dossier of a training assignment',
      event: 'training_assignment.dossier_exported',
      needs: own.trim(),
    }),
  ),
  route(
    'GET',
    '/api/training/records/:user_id/dossier',
    exportDossier(trainingRecords, Type.Object({ user_id: Ref('user') }), {
      summary: 'Export the dossier of the training record of a person',
      event: 'training_record.exported',
      needs: `At most 1,000 trainings.${own}`,
    }),
  ),
]

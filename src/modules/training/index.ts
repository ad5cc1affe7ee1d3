import { type Route, route } from '#http'
import type { Job, Schedule } from '#modules/jobs'
import { assign, bulkAssign } from './assigning/actions.ts'
import { assignAudiences, cancelForDeactivated } from './assigning/audience.ts'
import { endGroupAssignment, groupAssignments } from './assigning/groups.ts'
import { assignJob } from './assigning/job.ts'
import { releaseJob } from './assigning/release.ts'
import { renewQualifications } from './assigning/requalification.ts'
import { assignmentList } from './assignments/actions.ts'
import { remindTrainee } from './assignments/remind.ts'
import { remindOfTraining } from './assignments/reminders.ts'
import { cancel, waive } from './assignments/waive.ts'
import { assignmentDetails } from './completion/acts.ts'
import { complete } from './completion/complete.ts'
import { start } from './completion/start.ts'
import { verify } from './completion/verify.ts'
import { countCompliance } from './compliance/counts.ts'
import { matrix } from './compliance/matrix.ts'
import { trainingRecord } from './compliance/record.ts'
import { changeCurriculum, createCurriculum, curriculumDetails, listOfCurricula } from './curricula/actions.ts'
import { myTraining } from './curricula/my-training.ts'
import { create, details, list } from './programs/actions.ts'
import { cancelOpenJob } from './programs/archiving.ts'
import { update } from './programs/update.ts'

export { joinedGroup } from './assigning/audience.ts'
export { restrictedDocumentsOf, trainingGate } from './completion/gate.ts'
export { signedTraining } from './completion/subject.ts'
export { requestsOfTraining } from './completion/verify.ts'
export { complianceOf, countTenant, findComplianceDrift } from './compliance/counts.ts'
export { markAssignees, markEveryone, markJoinedAndLeft, markReaders, markUsers } from './compliance/mark-queries.ts'
export { type Compliance, forgetCounts as recountCompliance } from './compliance/queries.ts'
export { recordOnPaper } from './compliance/record-files.ts'
export { readTrainingRecord, requireTrainingRecord, type WholeRecordOf } from './compliance/whole-record.ts'

export {
  addImportedCompletions,
  addImportedCurriculum,
  importedProgram,
  importedReading,
  importedTrainingTypes,
} from './imported.ts'
export { listNamedPrograms } from './programs/queries.ts'

export const schedules: Schedule[] = [
  assignAudiences,
  cancelForDeactivated,
  renewQualifications,
  remindOfTraining,
  countCompliance,
]

export const jobs: Job[] = [assignJob, cancelOpenJob, releaseJob]

export const routes: Route[] = [
  route('GET', '/api/training/', list),
  route('POST', '/api/training/', create, { status: 201 }),
  route('GET', '/api/training/:id', details),
  route('PUT', '/api/training/:id', update),
  route('POST', '/api/training/:id/start', start),
  route('POST', '/api/training/:id/complete', complete),
  route('POST', '/api/training/assignments/:id/verify', verify),
  route('POST', '/api/training/assign', assign),
  route('POST', '/api/training/bulk-assign', bulkAssign),
  route('GET', '/api/training/my-training', myTraining),
  route('GET', '/api/training/assignments/', assignmentList),
  route('GET', '/api/training/assignments/:id', assignmentDetails),
  route('POST', '/api/training/assignments/:id/waive', waive),
  route('POST', '/api/training/assignments/:id/cancel', cancel),
  route('POST', '/api/training/assignments/:id/remind', remindTrainee),
  route('GET', '/api/training/:id/groups', groupAssignments),
  route('DELETE', '/api/training/:id/groups/:group_id', endGroupAssignment, { status: 204 }),
  route('GET', '/api/training/records/:user_id', trainingRecord),
  route('GET', '/api/training/matrix', matrix),
  route('GET', '/api/training/curricula/', listOfCurricula),
  route('POST', '/api/training/curricula/', createCurriculum, { status: 201 }),
  route('GET', '/api/training/curricula/:id', curriculumDetails),
  route('PUT', '/api/training/curricula/:id', changeCurriculum),
]

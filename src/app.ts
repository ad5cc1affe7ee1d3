import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { createRunner, type Runner, type Services, type Sink } from '#action'
import { type ClockTask, type Look, look } from '#action/clock-task.ts'
import { mount, type Route } from '#http'
import { measureRequests } from '#http/metrics.ts'
import { servePages } from '#http/pages.ts'
import { createServer } from '#http/server.ts'
import { countTraffic } from '#http/traffic.ts'
import { serveWelcome } from '#http/welcome.ts'
import {
  Accounts,
  routes as accountRoutes,
  activeTenants,
  authenticator,
  nameOf,
  readSettings,
  systemActor,
  type TenantSeed,
} from '#modules/accounts'
import { routes as aiCallRoutes, endAbandoned } from '#modules/ai-calls'
import { routes as assistantRoutes } from '#modules/assistant'
import { routes as auditRoutes, auditSink, openAnchoring, openSealer, type Sealer } from '#modules/audit'
import { routes as auditReviewRoutes, signedAuditReviews } from '#modules/audit-reviews'
import {
  capaReminders,
  routes as capaRoutes,
  requestsOfCapas,
  requestsOfReviews,
  signedCapas,
  signedReviews,
} from '#modules/capas'
import { attachmentFiles, routes as caseworkRoutes, recordSubject } from '#modules/casework'
import { routes as dashboardRoutes } from '#modules/dashboard'
import {
  deviationReminders,
  routes as deviationRoutes,
  requestsOfDeviations,
  signedDeviations,
} from '#modules/deviations'
import {
  approvalReminders,
  documentFiles,
  routes as documentRoutes,
  findSignable,
  makeEffectiveOnDay,
  readable,
  readSignable,
  requestsOfDocuments,
  reviewReminders,
  subjectOf,
  type TrainingGate,
} from '#modules/documents'
import { routes as dossierRoutes } from '#modules/dossiers'
import { routes as formRoutes, seedForms } from '#modules/forms'
import { routes as groupRoutes } from '#modules/groups'
import { backgroundJobs, type JobKind, routes as jobRoutes, requeueLost } from '#modules/jobs'
import { mailPosting, mailWork } from '#modules/mail'
import {
  escalateIgnored,
  linkOf,
  routes as notificationRoutes,
  notificationSink,
  type Post,
  type RequestsByResource,
  sendDigests,
} from '#modules/notifications'
import { countByNewZone, projectionSink } from '#modules/projections'
import { routes as roleRoutes } from '#modules/roles'
import { reindexJob, routes as searchRoutes, textWork, vectorsWork } from '#modules/search'
import { type SignedRecords, routes as signatureRoutes } from '#modules/signatures'
import { routes as similarRoutes } from '#modules/similar'
import { type Dependencies, measureDependencies, openDependencies, routes as statusRoutes } from '#modules/status'
import { type FileHolder, storageSweep } from '#modules/storage'
import { seedTemplates, routes as templateRoutes } from '#modules/templates'
import {
  countCompliance,
  joinedGroup,
  requestsOfTraining,
  signedTraining,
  trainingGate,
  jobKinds as trainingJobs,
  routes as trainingRoutes,
  clockTasks as trainingTasks,
} from '#modules/training'
import { seedWorkflows, routes as workflowRoutes } from '#modules/workflows'
import type { Database } from '#platform/db/database.ts'
import { createReport } from '#platform/error-tracking/report.ts'
import { type BackgroundWork, openBackgroundWork } from '#platform/jobs/background.ts'
import { outageLog, type Timing } from '#platform/jobs/boss.ts'
import type { QueuedWork } from '#platform/jobs/queue.ts'

/** The version of the API (specification, Versioning). */
export const version = '1.0.0'

/** The initial content of every new tenant. */
export const tenantSeeds: TenantSeed[] = [seedWorkflows, seedForms, seedTemplates]

/** Every route of the service. */
const routesOf = (
  parts: Parameters<typeof accountRoutes>[0],
  dependencies: Dependencies,
  training: TrainingGate,
): Route[] => [
  ...statusRoutes(version, dependencies),
  ...accountRoutes(parts),
  ...roleRoutes(() => parts.accounts.changed()),
  ...workflowRoutes,
  ...documentRoutes(training),
  ...formRoutes,
  ...groupRoutes({ joined: joinedGroup }),
  ...signatureRoutes({ findSignable, readSignable, readable, records: signedRecords }),
  ...notificationRoutes,
  ...caseworkRoutes,
  ...deviationRoutes,
  ...capaRoutes,
  ...similarRoutes,
  ...searchRoutes,
  ...trainingRoutes,
  ...dashboardRoutes(training),
  ...auditRoutes(parts.database),
  ...auditReviewRoutes(parts.database),
  ...dossierRoutes({ version }),
  ...templateRoutes,
  ...aiCallRoutes,
  ...assistantRoutes,
  ...jobRoutes,
]

/** The tables whose rows name files. The sweep removes files that none of them names. */
export const fileHolders: FileHolder[] = [documentFiles, attachmentFiles]
export const sweep = storageSweep(fileHolders)

/** The kinds of record that are signed as a whole, beside versions of documents. */
export const signedRecords: SignedRecords = {
  deviation: signedDeviations,
  capa: signedCapas,
  effectiveness_review: signedReviews,
  training_assignment: signedTraining,
  audit_review: signedAuditReviews,
}

/** The records that still wait for an answer to a notification. It is escalated if it is ignored. */
export const requests: RequestsByResource = {
  document: requestsOfDocuments,
  deviation: requestsOfDeviations,
  capa: requestsOfCapas,
  effectiveness_review: requestsOfReviews,
  training_assignment: requestsOfTraining,
}

/** The scheduled tasks. */
const clockTasks = (training: TrainingGate, post: Post | undefined): ClockTask[] => [
  makeEffectiveOnDay(training),
  approvalReminders,
  reviewReminders,
  deviationReminders,
  ...capaReminders,
  ...trainingTasks,
  escalateIgnored({ requests, post }),
  ...(post ? [sendDigests(post)] : []),
  endAbandoned,
  sweep.task,
]

/** The kinds of background jobs. */
const jobKinds: JobKind[] = [...trainingJobs, reindexJob]

interface Timetable {
  tasks: readonly ClockTask[]
  /** Runs a task once in every active tenant. Of concurrent calls each item is done by one. */
  look(task: ClockTask, signal?: AbortSignal): Promise<Look>
}

export interface App {
  server: FastifyInstance
  runner: Runner
  accounts: Accounts
  database: Database
  services: Services
  routes: Route[]
  timetable: Timetable
  /** Scheduled and queued work, shared by all processes. */
  jobs: BackgroundWork
  /** Seals the entries of the audit trail and signs the tree. */
  sealer: Sealer
  /** Undefined if no metrics are kept. */
  metrics: Registry | undefined
}

/** The audit trail, the notifications and the projections, which are written in the transaction of the command. */
export const sinksOf = ({ clock }: Services, post: Post | undefined): Sink[] => [
  auditSink,
  notificationSink({
    clock,
    subjects: { document: subjectOf, record: recordSubject, person: nameOf },
    post,
  }),
  // Last, because it locks counts that other transactions change too.
  projectionSink,
]

/** Parts that tests replace. */
export interface Parts {
  training?: TrainingGate
  kinds?: readonly JobKind[]
  timing?: Partial<Timing>
  post?: Post
  heartbeat_ms?: number
}

/** Puts the modules together, without listening. */
export async function buildApp(
  database: Database,
  services: Services,
  { training = trainingGate, kinds = jobKinds, timing, post = mailPosting(services.config), heartbeat_ms }: Parts = {},
): Promise<App> {
  const runner = createRunner(database, services, sinksOf(services, post))
  const accounts = new Accounts(database)
  const server = await createServer(services.config, version, services)
  const timetable: Timetable = {
    tasks: clockTasks(training, post),
    async look(task, signal) {
      const all: Look = { done: 0, refused: 0, failed: 0 }
      for (const tenantId of await activeTenants(database)) {
        if (signal?.aborted) break
        const one = await look(task, { database, runner, services, actor: systemActor(tenantId), signal })
        for (const count of ['done', 'refused', 'failed'] as const) all[count] += one[count]
      }
      return all
    },
  }
  const { mailer } = services
  const works: QueuedWork[] = [
    backgroundJobs(kinds, { database, runner, services }),
    ...(services.embeddings ? [vectorsWork({ database, embeddings: services.embeddings })] : []),
    ...(mailer ? [mailWork({ database, runner, services, mailer, linkOf })] : []),
    textWork({ database, services }),
  ]
  const report = createReport(services.log, services.tracker)
  const sealing = services.log.child({ logger: 'attest.audit' })
  const anchoring = openAnchoring({ database, services, log: sealing })
  const jobs = openBackgroundWork(
    {
      recurring: [
        ...timetable.tasks.map(task => ({ ...task, run: (signal: AbortSignal) => timetable.look(task, signal) })),
        countCompliance({ database, services }),
        countByNewZone({ database }),
        requeueLost(works, database),
        ...anchoring.jobs,
      ],
      queued: works,
    },
    {
      database,
      log: services.log.child({ logger: 'attest.jobs' }),
      report,
      ...(timing && { timing }),
    },
  )
  const sealer = openSealer({ database, services, log: sealing, words: outageLog(sealing, report) })
  const traffic = countTraffic(server)
  const dependencies = openDependencies(database, services, traffic, { jobs, sealer, anchoring })
  server.addHook('onClose', async () => dependencies.close())
  const metrics = services.config.metrics && (await openMetrics())
  const routes = routesOf(
    { accounts, database, runner, config: services.config, seeds: tenantSeeds },
    dependencies,
    training,
  )
  mount(server, routes, {
    runner,
    services,
    database,
    authenticate: authenticator(accounts, services.keys, services.clock),
    ...(heartbeat_ms !== undefined && { heartbeat_ms }),
    uploadTypes: actor => database.transaction(actor, 'read only', async tx => (await readSettings(tx)).upload_types),
  })
  const controlPanel = await servePages(server, services.log)
  serveWelcome(server, { docs: services.config.docs_enabled, controlPanel })
  return { server, runner, accounts, database, services, routes, timetable, jobs, sealer, metrics }

  /** Loaded only for metrics, because the library takes 22 MB. */
  async function openMetrics(): Promise<Registry> {
    const prometheus = await import('prom-client')
    const registry = new prometheus.Registry()
    const log = services.log.child({ logger: 'attest.metrics' })
    measureRequests(prometheus, registry, { app: server, traffic })
    measureDependencies(prometheus, registry, dependencies, { database, log })
    prometheus.collectDefaultMetrics({ register: registry })
    return registry
  }
}

import './german.ts'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { type AnyAction, createRunner, isConfigurationCommand, type Outside, type Services, type Sink } from '#action'
import { mount, type Route } from '#http'
import { openActs } from '#http/acts.ts'
import { showDescription } from '#http/description-pages.ts'
import { draining } from '#http/drain.ts'
import { measureRequests } from '#http/metrics.ts'
import { type DemoLogins, servePages } from '#http/pages.ts'
import { openRateLimits } from '#http/rate-limits.ts'
import { originOfPages } from '#http/same-origin.ts'
import { createServer } from '#http/server.ts'
import { countTraffic } from '#http/traffic.ts'
import { serveWelcome } from '#http/welcome.ts'
import { version } from '#kernel/version.ts'
import { routes as accessReviewRoutes, signedAccessReviews } from '#modules/access-reviews'
import {
  Accounts,
  routes as accountRoutes,
  authenticator,
  forgetAttempts,
  forgetSessions,
  loginsLimited,
  openLoginLimits,
  platformTenantId,
  stateRepeatedFailures,
  systemActor,
  type TenantSeed,
} from '#modules/accounts'
import { routes as aiCallRoutes, endAbandoned } from '#modules/ai-calls'
import { routes as assistantRoutes } from '#modules/assistant'
import {
  routes as auditRoutes,
  auditSink,
  keepCheckpoints,
  mailCheckpointsDaily,
  openSealer,
  type Sealer,
} from '#modules/audit'
import { routes as auditReviewRoutes, signedAuditReviews } from '#modules/audit-reviews'
import { capaReminders, routes as capaRoutes, signedCapas, signedReviews } from '#modules/capas'
import { routes as caseworkRoutes } from '#modules/casework'
import { routes as configurationRoutes, openConfiguration, signedConfigurationChanges } from '#modules/configuration'
import { controlledCopies, copyReminders, routes as copyRoutes } from '#modules/controlled-copies'
import { routes as dashboardRoutes } from '#modules/dashboard'
import { routes as deputyRoutes, listRepresented, representedBy } from '#modules/deputies'
import { deviationReminders, routes as deviationRoutes, signedDeviations } from '#modules/deviations'
import {
  announceOrphanedApprovals,
  approvalReminders,
  routes as documentRoutes,
  findSignable,
  makeEffectiveOnDay,
  readable,
  readSignable,
  reviewReminders,
} from '#modules/documents'
import { routes as dossierRoutes } from '#modules/dossiers'
import { routes as eventRoutes, openEvents, type usualEventTiming } from '#modules/events'
import {
  deleteContentJob,
  deleteRestored,
  routes as fileRemovalRoutes,
  signedFileRemovals,
} from '#modules/file-removals'
import { routes as findRoutes } from '#modules/find'
import { routes as formRoutes, seedForms } from '#modules/forms'
import { routes as groupRoutes } from '#modules/groups'
import { handOverJob, routes as handOverRoutes, startHandOver } from '#modules/hand-over'
import {
  breakGlassReminders,
  forgetProviderAttempts,
  routes as identityProviderRoutes,
  ProviderConnections,
  providerProof,
  signInOptions,
} from '#modules/identity-providers'
import { forgetAnswers, type Job, routes as jobRoutes, recoverLost, type Schedule } from '#modules/jobs'
import { mailJob, mailPosting, routes as mailRoutes } from '#modules/mail'
import {
  checkJob,
  loadJob,
  routes as migrationRoutes,
  reconcileJob,
  rehearseJob,
  signedMigrations,
} from '#modules/migrations-in'
import { escalateIgnored, routes as notificationRoutes, notificationSink, sendDigests } from '#modules/notifications'
import { passkeyProof, routes as passkeyRoutes, passkeys } from '#modules/passkeys'
import { countByNewZone, projectionSink } from '#modules/projections'
import { carryOutJob, routes as retentionRoutes, signedDisposals, signedHolds } from '#modules/retention'
import { routes as roleRoutes } from '#modules/roles'
import { reindexJob, routes as searchRoutes, textJob, vectorsJob } from '#modules/search'
import { keyReminders, routes as serviceAccountRoutes } from '#modules/service-accounts'
import { routes as sessionRoutes } from '#modules/sessions'
import { routes as setUpRoutes } from '#modules/set-up'
import { type Signing, routes as signatureRoutes } from '#modules/signatures'
import { deviationVectorSink, deviationVectorsJob, routes as similarRoutes } from '#modules/similar'
import {
  healthRoutes,
  keepHealth,
  measureDependencies,
  openDependencies,
  routes as statusRoutes,
} from '#modules/status'
import { sweep } from '#modules/storage'
import { seedTemplates, routes as templateRoutes } from '#modules/templates'
import { expireExports, makeExport, routes as tenantExportRoutes } from '#modules/tenant-exports'
import {
  joinedGroup,
  signedTraining,
  trainingGate,
  jobs as trainingJobs,
  routes as trainingRoutes,
  schedules as trainingSchedules,
} from '#modules/training'
import { eraseExpired, routes as uploadRoutes } from '#modules/uploads'
import { seedWorkflows, routes as workflowRoutes } from '#modules/workflows'
import { createReport } from '#platform/error-tracking/report.ts'
import { type BackgroundWork, openBackgroundWork } from '#platform/jobs/background.ts'
import { outageLog, type Timing } from '#platform/jobs/boss.ts'

/** The seeds of every new tenant. */
const seeds: readonly TenantSeed[] = [seedWorkflows, seedForms, seedTemplates]

/** Durable work in queues. */
const jobs: readonly Job[] = [
  mailJob,
  ...trainingJobs,
  handOverJob,
  deleteContentJob,
  makeExport,
  carryOutJob,
  reindexJob,
  textJob,
  vectorsJob,
  deviationVectorsJob,
  checkJob,
  rehearseJob,
  loadJob,
  reconcileJob,
]

/** Recurring work. */
const schedulesWith = (recovered: readonly Job[]): readonly Schedule[] => [
  makeEffectiveOnDay,
  approvalReminders,
  announceOrphanedApprovals,
  reviewReminders,
  copyReminders,
  eraseExpired,
  keyReminders,
  deviationReminders,
  ...capaReminders,
  ...trainingSchedules,
  escalateIgnored,
  sendDigests,
  endAbandoned,
  stateRepeatedFailures,
  forgetAttempts,
  forgetSessions,
  forgetAnswers,
  forgetProviderAttempts,
  breakGlassReminders,
  sweep.schedule,
  deleteRestored,
  expireExports,
  countByNewZone(),
  keepCheckpoints,
  mailCheckpointsDaily,
  keepHealth,
  recoverLost(recovered),
]

/**
 * The audit trail, the notifications and the projections, which are written in the transaction of the command. The projections come last,
 * because they lock counts that other transactions change too.
 */
export const sinks: readonly Sink[] = [auditSink, notificationSink, projectionSink, deviationVectorSink]

/** How the records are read that are signed: versions of documents, and records as a whole. */
export const signing: Signing = {
  findSignable,
  readSignable,
  readable,
  records: {
    deviation: signedDeviations,
    capa: signedCapas,
    effectiveness_review: signedReviews,
    training_assignment: signedTraining,
    audit_review: signedAuditReviews,
    configuration_change: signedConfigurationChanges,
    access_review: signedAccessReviews,
    file_removal: signedFileRemovals,
    migration_batch: signedMigrations,
    disposal: signedDisposals,
    legal_hold: signedHolds,
  },
}

/** Every route of the service. */
const routesOf = (services: Services): Route[] => [
  ...statusRoutes,
  ...accountRoutes(services),
  ...setUpRoutes,
  ...sessionRoutes,
  ...serviceAccountRoutes,
  ...passkeyRoutes,
  ...identityProviderRoutes,
  ...roleRoutes,
  ...workflowRoutes,
  ...documentRoutes,
  ...copyRoutes,
  ...formRoutes,
  ...groupRoutes,
  ...deputyRoutes,
  ...signatureRoutes,
  ...notificationRoutes,
  ...uploadRoutes,
  ...eventRoutes,
  ...caseworkRoutes,
  ...deviationRoutes,
  ...capaRoutes,
  ...similarRoutes,
  ...searchRoutes,
  ...findRoutes,
  ...trainingRoutes,
  ...configurationRoutes,
  ...dashboardRoutes,
  ...auditRoutes,
  ...auditReviewRoutes,
  ...accessReviewRoutes,
  ...fileRemovalRoutes,
  ...migrationRoutes,
  ...retentionRoutes,
  ...dossierRoutes,
  ...tenantExportRoutes,
  ...templateRoutes,
  ...aiCallRoutes,
  ...assistantRoutes,
  ...handOverRoutes,
  ...jobRoutes,
  ...mailRoutes,
]

export interface App {
  server: FastifyInstance
  services: Services
  routes: Route[]
  /** Those that are on. */
  schedules: readonly Schedule[]
  /** Schedules and jobs, shared by all processes. */
  background: BackgroundWork
  /** Seals the entries of the audit trail and signs the tree. */
  sealer: Sealer
  /** Undefined if no metrics are kept. */
  metrics: Registry | undefined
}

/** Collaborators and limits that a test may replace. */
export interface Replaced extends Partial<Pick<Services, 'training' | 'post'>> {
  /** Jobs that only the test knows, beside those of the product. */
  moreJobs?: readonly Job[]
  timing?: Partial<Timing>
  heartbeat_ms?: number
  eventTiming?: Partial<typeof usualEventTiming>
  /** Only the demo's log-in page says who can log in. */
  demo?: DemoLogins
}

/** The actor of an audit entry about a request without a log-in. */
const nobody = systemActor(platformTenantId)
const limited = { event: 'access.limited', outcome: 'denied' } as const

/** Puts the modules together around what is outside the process, without listening. Only `openService` calls it. */
export async function buildApp(
  outside: Outside,
  { moreJobs = [], timing, heartbeat_ms, eventTiming, demo, ...offers }: Replaced & Pick<Services, 'examine'>,
): Promise<App> {
  const { config, database, log } = outside
  const { process_roles: roles, job_queues } = config
  const isWeb = roles.has('web')
  const server = await createServer(config, version, outside)
  const traffic = countTraffic(server)
  const services: Services = {
    ...outside,
    accounts: new Accounts(database),
    loginLimits: openLoginLimits({
      ...outside,
      audit: (origin, network) => runner.auditDenial(nobody, origin, { ...limited, reason: loginsLimited(network) }),
    }),
    providers: new ProviderConnections(outside),
    signInOptions: domain => signInOptions(outside, domain),
    seeds,
    training: trainingGate,
    joinedGroup,
    controlledCopies,
    startHandOver,
    representedBy,
    listRepresented,
    events: openEvents({
      database,
      report: createReport(log, outside.tracker),
      ...(eventTiming && { timing: eventTiming }),
    }),
    signing,
    post: mailPosting(config),
    passkeys,
    signingProofs: { passkey: passkeyProof, provider: providerProof },
    findAct: openActs(() => routes),
    findRead(url) {
      const read = routes.find(each => each.method === 'GET' && each.url === url)
      if (!read) throw new Error(`no route answers GET ${url}`)
      return read.action as AnyAction
    },
    configuration: openConfiguration(() => routes.map(({ action }) => action).filter(isConfigurationCommand)),
    ...offers,
    get runner() {
      return runner
    },
    get dependencies() {
      return dependencies
    },
  }
  const runner = createRunner(services, sinks)
  const report = createReport(log, outside.tracker)
  const on = <Each extends Schedule | Job>(all: readonly Each[]) => all.filter(({ isOn }) => isOn?.(services) ?? true)
  const jobsOn = on([...jobs, ...moreJobs])
  const schedules = on(schedulesWith(jobsOn))
  const background = openBackgroundWork(
    {
      schedules,
      takesRounds: roles.has('schedules'),
      jobs: roles.has('jobs') ? jobsOn.filter(({ queue }) => job_queues.has(queue)) : [],
    },
    services,
    { database, log: log.child({ logger: 'attest.jobs' }), report, ...(timing && { timing }) },
  )
  const sealing = log.child({ logger: 'attest.audit' })
  const sealer = openSealer(services, { log: sealing, words: outageLog(sealing, report), seals: roles.has('sealer') })
  server.server.once(draining, () => services.events.stop())
  const dependencies = openDependencies(services, { traffic, background, sealer })
  server.addHook('onClose', async () => dependencies.close())
  server.addHook('onClose', () => services.loginLimits.linkWork.settled())
  const metrics = config.metrics && (await openMetrics())
  const routes = routesOf(services)
  const limits = openRateLimits({
    isOn: config.rate_limits,
    clock: services.clock,
    audit: ({ actor = nobody, origin, reason }) => runner.auditDenial(actor, origin, { ...limited, reason }),
  })
  mount(server, isWeb ? routes : healthRoutes, {
    services,
    limits,
    authenticate: authenticator(services.accounts, services.keys, services.clock),
    pages: originOfPages(config.public_url),
    ...(heartbeat_ms !== undefined && { heartbeat_ms }),
    uploadTypes: ({ tenantId }) => services.accounts.uploadTypes(tenantId),
  })
  if (isWeb && config.docs_enabled) await showDescription(server, routes)
  const hasPages = isWeb && (await servePages(server, log, { demo }))
  if (isWeb && !hasPages) serveWelcome(server, { docs: config.docs_enabled })
  return { server, services, routes, schedules, background, sealer, metrics }

  /** Loaded only for metrics, because the library takes 22 MB. */
  async function openMetrics(): Promise<Registry> {
    const prometheus = await import('prom-client')
    const registry = new prometheus.Registry()
    measureRequests(prometheus, registry, { app: server, traffic })
    measureDependencies(prometheus, registry, dependencies, { database, log: log.child({ logger: 'attest.metrics' }) })
    prometheus.collectDefaultMetrics({ register: registry })
    return registry
  }
}

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Services } from '#action'
import type { Traffic } from '#http/traffic.ts'
import { anchoringState, type Sealer } from '#modules/audit'
import { visitVectorStore } from '#modules/search'
import type { BackgroundWork } from '#platform/jobs/background.ts'
import { type LanguageModel, ModelFailed } from '#platform/models/language-model.ts'
import { type MailWatch, watchMail } from './mail.ts'
import { Finding, type Impression, openAbsence, openProbe, type Probe } from './probe.ts'
import { troubleOfAnswers, troubleOfDatabase } from './rules.ts'
import { type StorageWatch, watchStorageUse } from './storage-use.ts'
import { type Workers, watchWorkers } from './workers.ts'

const lagResolutionMs = 20
/** In a shorter window a single slow moment would count too much. */
const lagWindowMs = 2000
/** Above it every request waits noticeably for others. */
const highLagMs = 250

export interface Dependencies {
  database: Probe
  all: readonly Probe[]
  traffic: Traffic
  workers: Workers
  mail: MailWatch | undefined
  storage: StorageWatch
  /** The delay of the event loop in milliseconds. */
  lag(): number
  close(): void
}

declare module '#action/definitions.ts' {
  interface Services {
    dependencies: Dependencies
  }
}

/** The seven dependencies of the specification. Each has a time budget of its own, so that one that hangs cannot delay the report. */
export function openDependencies(
  services: Omit<Services, 'dependencies'>,
  { traffic, background, sealer }: { traffic: Traffic; background: BackgroundWork; sealer: Sealer },
): Dependencies {
  const { config, database, storage, clock, languageModel, embeddings } = services
  const notes = { clock, log: services.log.child({ logger: 'attest.status' }) }
  const loop = watchLoop()
  const workers = watchWorkers({ background, sealer, anchoring: () => anchoringState(services) }, clock)
  const use = watchStorageUse(database)
  const mail = config.mail && watchMail(config.mail.smtp_url, database, clock)

  const databaseProbe = openProbe(
    {
      name: 'Database',
      budget_ms: 1000,
      visit: async () => troubleOfDatabase(await database.ping(1000)),
    },
    notes,
  )
  const all = [
    databaseProbe,
    embeddings
      ? openProbe(
          {
            name: 'Vector store',
            budget_ms: 2000,
            visit: signal => visitVectorStore({ database, embeddings }, signal).catch(asFinding),
          },
          notes,
        )
      : openAbsence('Vector store', 'No embedding model is configured, so search is by words alone', notes),
    languageModel
      ? openProbe(
          { name: 'AI integration', budget_ms: 3000, visit: signal => visitModel(languageModel, signal) },
          notes,
        )
      : openAbsence('AI integration', 'AI_PROVIDER is not set', notes),
    openProbe(
      {
        name: 'Storage',
        budget_ms: 2000,
        keep_ms: 15_000,
        visit: async () => {
          // Counted in any case: the use is in the report also while the store is down.
          const [scanner, ...others] = await Promise.allSettled([
            antivirusAnswers(services),
            storage.check(),
            use.visit(),
          ])
          const failed = [scanner, ...others].find(each => each.status === 'rejected')
          if (failed) throw failed.reason
          return scanner.status === 'fulfilled' && scanner.value
            ? {}
            : { status: 'Degraded', detail: 'The virus scanner does not answer, so no file can be uploaded' }
        },
      },
      notes,
    ),
    openProbe(
      {
        name: 'API endpoints',
        budget_ms: 1000,
        visit: async () => {
          const trouble = troubleOfAnswers(traffic.recent())
          if (trouble?.status === 'Down') throw new Finding(trouble.detail)
          if (trouble) return { status: 'Degraded', detail: trouble.detail }
          const lag_ms = loop.lag()
          return lag_ms > highLagMs
            ? { status: 'Degraded', detail: `Requests wait ${lag_ms} ms before they are processed` }
            : {}
        },
      },
      notes,
    ),
    mail
      ? openProbe({ name: 'Email service', budget_ms: 3000, keep_ms: 60_000, visit: mail.visit }, notes)
      : openAbsence('Email service', 'SMTP_URL is not set', notes),
    openProbe({ name: 'Background workers', budget_ms: 1000, visit: () => workers.visit() }, notes),
  ]
  return { database: databaseProbe, all, traffic, workers, mail, storage: use, ...loop }
}

const antivirusAnswers = async ({ antivirus }: Pick<Services, 'antivirus'>) =>
  antivirus === undefined ||
  antivirus.check().then(
    () => true,
    () => false,
  )

/** Measures the 95th percentile of the delay since the last call, over two seconds at least. */
function watchLoop() {
  const loop = monitorEventLoopDelay({ resolution: lagResolutionMs })
  loop.enable()
  let lag_ms = 0
  let begun = performance.now()
  return {
    lag() {
      if (performance.now() - begun < lagWindowMs) return lag_ms
      // The histogram holds the duration of timers, which includes its resolution.
      lag_ms = Math.max(0, Math.round(loop.percentile(95) / 1e6) - lagResolutionMs)
      loop.reset()
      begun = performance.now()
      return lag_ms
    },
    close: () => loop.disable(),
  }
}

function asFinding(thrown: unknown): never {
  throw thrown instanceof ModelFailed ? new Finding(thrown.message) : thrown
}

async function visitModel(model: LanguageModel, signal: AbortSignal): Promise<Impression> {
  const { status, detail = '' } = await model.reach(signal)
  if (status === 'Down') throw new Finding(detail)
  return { ...(status === 'Degraded' && { status }), ...(detail && { detail }) }
}

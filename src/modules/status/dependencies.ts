import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Services } from '#action'
import type { Traffic } from '#http/traffic.ts'
import type { Anchoring, Sealer } from '#modules/audit'
import { visitVectorStore } from '#modules/search'
import type { Database } from '#platform/db/database.ts'
import type { BackgroundWork } from '#platform/jobs/background.ts'
import { type LanguageModel, ModelFailed } from '#platform/models/language-model.ts'
import { type MailWatch, watchMail } from './mail.ts'
import { Finding, type Impression, openAbsence, openProbe, type Probe } from './probe.ts'
import { type Workers, watchWorkers } from './workers.ts'

const lag_resolution_ms = 20
/** In less time a single slow moment would count for much. */
const lag_window_ms = 2000
/** Above it every request waits for others to be computed: somebody notices. */
const high_lag_ms = 250

export interface Dependencies {
  database: Probe
  all: readonly Probe[]
  traffic: Traffic
  workers: Workers
  mail: MailWatch | undefined
  /** How long what is due waits for its turn, in milliseconds. */
  lag(): number
  close(): void
}

/** The seven of the specification. Each has a budget of its own (reliability: a dependency that hangs must not take the report with it). */
export function openDependencies(
  database: Database,
  services: Services,
  traffic: Traffic,
  work: { jobs: BackgroundWork; sealer: Sealer; anchoring: Anchoring },
): Dependencies {
  const { config, storage, clock, languageModel, embeddings } = services
  const notes = { clock, log: services.log.child({ logger: 'attest.status' }) }
  const loop = watchLoop()
  const workers = watchWorkers(work, clock)
  const mail = config.mail && watchMail(config.mail.smtp_url, database, clock)

  const databaseProbe = openProbe(
    {
      name: 'Database',
      budget_ms: 1000,
      visit: async () => {
        await database.ping(1000)
        return {}
      },
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
            visit: signal => visitVectorStore({ database, embeddings }, signal).catch(inOurWords),
          },
          notes,
        )
      : openAbsence('Vector store', 'EMBEDDINGS_PROVIDER is none: search is by words alone', notes),
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
          const [isScanning] = await Promise.all([antivirusAnswers(services), storage.check()])
          return isScanning ? {} : { status: 'Degraded', detail: 'The virus scanner does not answer: no file is taken' }
        },
      },
      notes,
    ),
    openProbe(
      {
        name: 'API endpoints',
        budget_ms: 1000,
        visit: async () => {
          const lag_ms = loop.lag()
          return lag_ms > high_lag_ms ? { status: 'Degraded', detail: `Requests wait ${lag_ms} ms for their turn` } : {}
        },
      },
      notes,
    ),
    mail
      ? openProbe({ name: 'Email service', budget_ms: 3000, keep_ms: 60_000, visit: mail.visit }, notes)
      : openAbsence('Email service', 'SMTP_URL is not set', notes),
    openProbe({ name: 'Background workers', budget_ms: 1000, visit: () => workers.visit() }, notes),
  ]
  return { database: databaseProbe, all, traffic, workers, mail, ...loop }
}

const antivirusAnswers = async ({ antivirus }: Services) =>
  antivirus === undefined ||
  antivirus.check().then(
    () => true,
    () => false,
  )

/** The 95th percentile of the latest two seconds or more that have passed between two who asked. */
function watchLoop() {
  const loop = monitorEventLoopDelay({ resolution: lag_resolution_ms })
  loop.enable()
  let lag_ms = 0
  let begun = performance.now()
  return {
    lag() {
      if (performance.now() - begun < lag_window_ms) return lag_ms
      // What the histogram holds is how long a timer of its resolution took.
      lag_ms = Math.max(0, Math.round(loop.percentile(95) / 1e6) - lag_resolution_ms)
      loop.reset()
      begun = performance.now()
      return lag_ms
    },
    close: () => loop.disable(),
  }
}

function inOurWords(thrown: unknown): never {
  throw thrown instanceof ModelFailed ? new Finding(thrown.message) : thrown
}

async function visitModel(model: LanguageModel, signal: AbortSignal): Promise<Impression> {
  const { status, detail = '' } = await model.reach(signal)
  if (status === 'Down') throw new Finding(detail)
  return status === 'Degraded' ? { status, detail } : {}
}

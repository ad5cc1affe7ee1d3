import type { Outside } from '#action'
import { systemClock } from '#kernel/clock.ts'
import { openAnchorStores } from '#platform/anchors/open.ts'
import { openAntivirus } from '#platform/antivirus/open.ts'
import type { Config } from '#platform/config.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { openDatabase } from '#platform/db/open.ts'
import { openTracker } from '#platform/error-tracking/open.ts'
import type { Logger } from '#platform/log/log.ts'
import { openMailer } from '#platform/mail/mailer.ts'
import { openLanguageModel } from '#platform/models/language-model.ts'
import { openEmbeddings } from '#platform/models/open-embeddings.ts'
import { openOutbound } from '#platform/outbound/send.ts'
import { openPdfRenderer } from '#platform/pdf/rendition.ts'
import { openStorage } from '#platform/storage/open.ts'
import { openTextExtractor } from '#platform/text-extraction/index.ts'
import { type App, buildApp, type Replaced } from '../app.ts'
import { examineRunning } from './doctor/running.ts'
import { type Keys, openIdentity } from './identity.ts'
import { asRefusal, locationOf } from './location.ts'

/** A service that is open and does not listen yet. */
export interface Service extends App {
  /** Resolves when a database server of our own ended unexpectedly. */
  died: Promise<void>
  /** Finishes running work, then closes everything that was opened here. */
  close(): Promise<void>
}

/** Given by a caller instead of what the configuration names. The caller closes it. */
export interface Brought extends Replaced {
  outside?: Partial<Outside>
  /** A missing signing key is made, and an unknown one accepted. */
  areKeysLost?: boolean
}

/** The one composition of the service, for the service itself, the demo, the commands, tools and tests. It does not listen. */
export async function openService(
  config: Config,
  log: Logger,
  { outside: brought = {}, areKeysLost = false, ...replaced }: Brought = {},
): Promise<Service> {
  const opened: (() => unknown)[] = []
  const close = async () => {
    for (const each of opened.splice(0).reverse()) await each()
  }
  const of = (logger: string) => log.child({ logger: `attest.${logger}` })
  /** Opens a collaborator that the caller does not bring. `close` closes them in the opposite order. */
  async function use<Name extends keyof Outside>(
    name: Name,
    open: () => Outside[Name] | Promise<Outside[Name]>,
    end?: (it: Outside[Name]) => unknown,
  ): Promise<Outside[Name]> {
    if (name in brought) return brought[name] as Outside[Name]
    const it = await open()
    if (end) opened.push(() => end(it))
    return it
  }
  let died = new Promise<void>(() => {})
  async function openOwnDatabase() {
    const server = await openDatabase(locationOf(config), of('database')).catch(asRefusal)
    opened.push(server.close)
    died = server.died
    return server.database
  }
  const hasKeys = (outside: Partial<Outside>): outside is Keys =>
    outside.signingKey !== undefined && outside.auditKey !== undefined
  try {
    const tracker = await use(
      'tracker',
      () => openTracker(config, log),
      it => it.close(),
    )
    const database = await use('database', openOwnDatabase)
    const storage = await use(
      'storage',
      () => openStorage(config),
      it => it.close?.(),
    )
    const { signingKey, auditKey, previousAuditKey } = hasKeys(brought)
      ? brought
      : await openIdentity({ config, database, storage, log: of('keys') }, { areKeysLost })
    const outside: Outside = {
      config,
      log,
      tracker,
      database,
      storage,
      ...{ signingKey, auditKey, previousAuditKey },
      clock: brought.clock ?? systemClock,
      keys: brought.keys ?? deriveKeys(config),
      mailer: await use(
        'mailer',
        () => openMailer(config, of('mail')),
        it => it?.close(),
      ),
      antivirus: await use('antivirus', () => openAntivirus(config, of('antivirus'))),
      anchors: await use('anchors', () => openAnchorStores(config)),
      pdf: await use(
        'pdf',
        () => openPdfRenderer(),
        it => it.close(),
      ),
      texts: await use('texts', () => openTextExtractor({ max_pdf_pages: config.max_pdf_pages })),
      languageModel: await use('languageModel', () => openLanguageModel(config, of('model'))),
      outbound: await use('outbound', () =>
        openOutbound({ networks: config.outbound_networks, proxy: config.outbound_proxy }),
      ),
      embeddings: await use('embeddings', () => openEmbeddings(config)),
    }
    const app = await buildApp(outside, { examine: examineRunning, ...replaced })
    opened.push(() => Promise.all([app.server.close(), app.background.stop(), app.sealer.stop()]))
    return { ...app, died, close }
  } catch (error) {
    await close()
    throw error
  }
}

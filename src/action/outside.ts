import type { Clock } from '#kernel/clock.ts'
import type { AnchorStore } from '#platform/anchors/store.ts'
import type { Antivirus } from '#platform/antivirus/antivirus.ts'
import type { Config } from '#platform/config.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import type { Database } from '#platform/db/database.ts'
import type { Tracker } from '#platform/error-tracking/tracker.ts'
import type { Logger } from '#platform/log/log.ts'
import type { Mailer } from '#platform/mail/mailer.ts'
import type { Embeddings } from '#platform/models/embeddings.ts'
import type { LanguageModel } from '#platform/models/language-model.ts'
import type { Outbound } from '#platform/outbound/send.ts'
import type { PdfRenderer } from '#platform/pdf/rendition.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import type { TextExtractor } from '#platform/text-extraction/index.ts'

/** Everything outside the process is passed in; nothing is imported for its state. */
export interface Outside {
  config: Config
  clock: Clock
  database: Database
  storage: FileStorage
  /** Undefined where uploads are not scanned. */
  antivirus: Antivirus | undefined
  keys: DerivedKeys
  signingKey: SigningKey
  /** Signs the checkpoints of the audit trail. During a rotation the previous key signs them too. */
  auditKey: SigningKey
  previousAuditKey: SigningKey | undefined
  /** Places that keep checkpoints, by which a database that has lost entries is recognized. */
  anchors: readonly AnchorStore[]
  pdf: PdfRenderer
  texts: TextExtractor
  /** Undefined where the installation sends no e-mail. */
  mailer: Mailer | undefined
  /** Sends to addresses that tenants configure, and to no other. */
  outbound: Outbound
  /** Undefined where none is configured. Only the assistant needs it. */
  languageModel: LanguageModel | undefined
  /** Undefined where search is by words only. */
  embeddings: Embeddings | undefined
  log: Logger
  tracker: Tracker
}

import { Link } from '@tanstack/react-router'
import {
  BadgeCheck,
  Ban,
  CircleCheck,
  CircleMinus,
  CircleX,
  ExternalLink,
  FileX2,
  History,
  type LucideIcon,
  OctagonAlert,
  ScrollText,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { Answer } from '../../api/client.ts'
import { pageOfRecord } from '../../app/addresses.ts'
import { paths } from '../../app/paths.ts'
import { FactList } from '../../records/fact-list.tsx'
import { sizeInWords } from '../../records/fields/file-rules.ts'
import { nameOf } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './signature.module.css'

export type SignatureDetails = Answer<'GET /api/signatures/{id}'>
type Verification = SignatureDetails['verification']

const looks: Record<Verification['status'], [LucideIcon, string]> = {
  valid: [BadgeCheck, 'good'],
  superseded: [History, 'warn'],
  void: [Ban, 'bad'],
  content_removed: [FileX2, 'warn'],
  content_mismatch: [OctagonAlert, 'bad'],
  seal_invalid: [OctagonAlert, 'bad'],
}

/** Is this signature good? The answer first, then what it rests on. */
export function Verified({ signature, actions }: { signature: SignatureDetails; actions?: ReactNode }) {
  return (
    <div className={styles.verified}>
      <TheAnswer signature={signature} />
      <div className={styles.columns}>
        <Checks of={signature.verification} />
        <div className={styles.side}>
          <OfSignature signature={signature} />
          {actions}
          <SignedContent signature={signature} />
        </div>
      </div>
    </div>
  )
}

function TheAnswer({ signature }: { signature: SignatureDetails }) {
  const { signatures: w } = useEvidenceWords()
  const { moment } = useFormat()
  const { verification, void: voided } = signature
  const [Icon, look] = looks[verification.status]
  return (
    <section className={`${styles.answer} ${styles[look]}`} role={look === 'bad' ? 'alert' : 'status'}>
      <Icon size={32} aria-hidden="true" />
      <div>
        <p className={styles.big}>{w.answer[verification.status]}</p>
        <p>{w.means[verification.status]}</p>
        {voided && (
          <p>
            {voided.voided_by
              ? w.voidInfo.by(nameOf(voided.voided_by), moment(voided.voided_at))
              : w.voidInfo.byItself(moment(voided.voided_at))}
            {`: ${voided.cause === 'declared' ? voided.reason : w.voidInfo.causes[voided.cause]}`}
          </p>
        )}
        <p className={styles.when}>{w.verifiedAt(moment(verification.verified_at))}</p>
      </div>
    </section>
  )
}

function Checks({ of: { checks } }: { of: Verification }) {
  const { signatures: w } = useEvidenceWords()
  return (
    <section>
      <h2>{w.checks}</h2>
      <ul className={styles.checks}>
        {checks.map(({ name, passed, detail, was_removed }) => {
          const [Icon, look, said] = was_removed
            ? ([CircleMinus, 'warn', w.removed] as const)
            : passed
              ? ([CircleCheck, 'good', w.passed] as const)
              : ([CircleX, 'bad', w.failed] as const)
          return (
            <li key={name}>
              <span className={styles[`${look}Ink`]}>
                <Icon size={16} role="img" aria-label={said} />
              </span>
              <div>
                <p className={styles.check}>{w.checkNames[name]}</p>
                <p className="soft" lang="en">
                  {detail}
                </p>
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function OfSignature({ signature }: { signature: SignatureDetails }) {
  const { signatures: w } = useEvidenceWords()
  const { moment } = useFormat()
  const { signer, on_behalf_of, time_zone, signed_at } = signature
  return (
    <section>
      <h2>{w.facts.title}</h2>
      <FactList
        facts={[
          [w.facts.signer, `${nameOf(signer)} (${signer.username})`],
          [w.facts.role, signer.role],
          [w.facts.onBehalf, on_behalf_of?.name],
          [w.facts.meaning, w.meanings[signature.signature_type]],
          [w.facts.intent, signature.intent],
          [w.facts.time, `${moment(signed_at)} (${time_zone})`],
          [w.facts.method, w.methods[signature.method]],
          [w.facts.code, <code key="code">{signature.verification_code}</code>],
          [w.facts.key, <code key="key">{signature.key_id}</code>],
        ]}
      />
    </section>
  )
}

function SignedContent({ signature }: { signature: SignatureDetails }) {
  const { signatures: w } = useEvidenceWords()
  const { locale } = useFormat()
  const { permissions } = useMe()
  const { record, resource_type, resource_id, resource_number, document_version } = signature
  const page = pageOfRecord(resource_type, resource_id)
  const code = (text: string | null | undefined) => text && <code>{text}</code>
  return (
    <section>
      <h2>{w.signedWhat}</h2>
      {record === null && <p className="soft">{w.content.unreadable}</p>}
      <FactList
        facts={[
          [
            w.content.record,
            document_version === null ? resource_number : `${resource_number}, ${w.versionOf(document_version)}`,
          ],
          [w.content.status, record && <Status of={record.status} size="s" />],
          [w.content.size, record?.file_size != null && sizeInWords(record.file_size, locale)],
          [w.content.fileDigest, code(record?.file_sha256)],
          [w.content.detailsDigest, code(record?.metadata_sha256)],
          [w.content.contentDigest, code(record?.content_sha256)],
          [
            w.content.files,
            record && record.files.length > 0 && (
              <ul key="files">
                {record.files.map(({ name, sha256 }) => (
                  <li key={sha256}>
                    {name} <code>{sha256}</code>
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
      <details className={styles.payload}>
        <summary>{w.content.payload}</summary>
        <FactList
          facts={[
            [w.content.payloadText, code(signature.payload)],
            [w.content.seal, code(signature.seal)],
            [w.content.publicKey, code(signature.public_key)],
          ]}
        />
      </details>
      <p className={styles.links} data-print="none">
        {page !== undefined && (
          <Link
            to={page}
            {...(resource_type === 'document' &&
              document_version !== null && { search: { version: document_version } })}
          >
            <ExternalLink size={14} aria-hidden="true" />
            {w.openRecord}
          </Link>
        )}
        {permissions.includes('audit.read') && (
          <Link to={paths.audit} search={{ record: 'signature', id: signature.id }}>
            <ScrollText size={14} aria-hidden="true" />
            {w.entries}
          </Link>
        )}
      </p>
    </section>
  )
}

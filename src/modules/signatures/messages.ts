import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  /** `version`: null where the record has no versions. */
  signature_exists: ({ number, version }: { number: string; version: string | null }) =>
    `You have already signed ${version === null ? '' : `version ${version} of `}${number} with this meaning.`,
  signature_meaning_not_permitted: ({ meaning, permission }: { meaning: string; permission: string }) =>
    `Signing with the meaning ${meaning} outside of a workflow needs the permission ${permission}. Sign the approval step of the workflow, or sign as acknowledgement or witness.`,
  signature_own_document: ({ number, meaning }: { number: string; meaning: string }) =>
    `You own ${number} or wrote this version, so another person must sign it with the meaning ${meaning}.`,
  signature_record_changed: ({ number }: { number: string }) =>
    `${number} was changed while you were signing. Reload it, then sign again.`,
  signature_content_changed: 'This was changed while you were signing it. Reload it, then sign again.',
  signature_files_changed: ({ number }: { number: string }) =>
    `A file was attached to ${number} while you were signing. Reload it, then sign again.`,

  signature_already_void: 'This signature is already void.',
  signature_of_own_decision:
    'This signature belongs to your approval of a version under way. Take the approval back to void it.',
  signature_of_decision:
    'This signature belongs to the approval of another person about a version under way. Its signer can take the approval back, and approvers can reject the version.',
  signature_of_approval:
    'This signature belongs to the approval of an approved version. To replace that version, upload a new version.',
  signature_of_effective_version:
    'This signature belongs to the approval of an effective version. To replace that version, upload a new version, or make the document obsolete.',
  signature_of_ended_version:
    'This signature belongs to the approval of a version that is no longer in use, and stays as it was given.',
  signature_of_approval_withdrawal:
    'This signature took back an approval, which stays as it was done. Approve the version again.',
  signature_of_obsolescence:
    'This signature made the document obsolete, which cannot be undone. Upload the document as a new one.',
  signature_of_periodic_review:
    'This signature belongs to a periodic review, which stays as it was decided. Decide another review.',
  signature_of_deviation_closure:
    'This signature closed or cancelled the deviation. A closed deviation can be reopened, which supersedes the signature.',
  signature_of_capa_closure: 'This signature closed the CAPA, which cannot be undone. Create another CAPA.',
  signature_of_effectiveness:
    'This signature belongs to an effectiveness review, which stays as it was completed. Plan another review.',
  signature_of_training:
    'This signature belongs to a training, which stays as it was completed. Assign the training again.',
  signature_of_audit_review:
    'This signature belongs to an audit trail review, which stays as it was made. Make another review.',
  signature_of_configuration_change:
    'This signature put a change of the configuration into force, which stays as it was approved. Propose another change.',
  signature_of_access_review:
    'This signature belongs to an access review, which stays as it was made. Make another review.',
  signature_of_migration:
    'This signature belongs to an imported batch, which stays as it was accepted. Correct the imported records themselves.',
  signature_of_file_removal:
    'This signature belongs to the removal of a file, which stays as it was decided. Withdraw or reject a request that is still open.',
  signature_of_disposal:
    'This signature belongs to a disposal, which stays as it was decided. Withdraw or reject a proposal that is still open.',
  signature_of_legal_hold: 'This signature lifted a legal hold. Place a new hold instead.',
  signature_file_removed: ({ number }: { number: string }) =>
    `The file of this version of ${number} was removed, so it cannot be signed. Sign another version.`,
})

/** Texts that are printed or mailed. */
export const printed = defineMessages({
  signature_none: 'This version has no signatures.',
  signature_how_to_verify:
    'To verify a signature, look it up in Attest by its number (GET /api/signatures/{number}): its digest begins with the verification code, and its verification shows whether the signed content, its files and the signer are unchanged.',
  signature_void_since: ({ moment, reason }: { moment: string; reason: string }) => `VOID since ${moment}: ${reason}`,
  signature_superseded: 'SUPERSEDED: the metadata was changed after signing',
  signature_record_superseded: 'SUPERSEDED: the record was reopened or changed after signing',
  signature_outside_workflow: 'given outside of the workflow',
  signature_for: ({ person }: { person: string }) => `for ${person}`,
  signature_code: ({ code, id }: { code: string; id: number }) => `${code} (signature ${id})`,

  check_complete: 'All required facts of the signature are there',
  check_name_missing: 'The printed name of the signer is missing',
  check_row_differs: ({ fields }: { fields: readonly string[] }) =>
    `The record differs from what was signed in ${fields.join(', ')}`,
  check_unreadable: 'The signed content cannot be read, so nothing can be compared with it',
  check_sealed: 'The signed content matches its seal',
  check_sealed_by_unknown:
    'The signed content matches its seal. Whether the key of the seal belongs to this service was not examined, because no key of the service was at hand',
  check_key_replaced: ({ key }: { key: string }) => `The key ${key} was replaced by another one`,
  check_key_of_others: ({ key }: { key: string }) =>
    `The key ${key} is not of this service: no key in use or before it has confirmed it`,
  check_content_altered: 'The signed content or its digest was altered',
  check_seal_wrong: 'The seal is not the seal of this service over the signed content',
  check_copy: ({ id }: { id: number }) => `It is a copy of the signature ${id}`,
  check_of_record: ({ number }: { number: string }) => `It belongs to ${number}`,
  check_record_of_another_number: 'The signed record does not exist, or not under this number',
  check_of_version: ({ number, version }: { number: string; version: string }) =>
    `It belongs to version ${version} of ${number}`,
  check_version_of_another: 'The signed version does not belong to this document',
  check_signer: ({ username }: { username: string }) => `The signer is the user ${username}`,
  check_signer_gone: 'The account of the signer no longer exists',
  check_signer_renamed: ({ username }: { username: string }) => `The user name of the signer is now ${username}`,
  check_follows: ({ id }: { id: number }) => `It follows the signature ${id}`,
  check_first: ({ kind }: { kind: string }) => `It is the first signature of the ${kind}`,
  check_was_first: ({ kind, id }: { kind: string; id: number | null }) =>
    `It was the first signature of the ${kind}, and signature ${id} now precedes it`,
  check_preceding_gone: 'The preceding signature was removed, altered or moved',
  check_manifestation: ({ name, person, role, moment, meaning }: Manifestation) =>
    `${name}${person === null ? '' : ` for ${person}`}, ${role}, at ${moment}: ${meaning}`,
  check_no_entry: 'The audit trail has no entry for this signature',
  check_entry_not_sealed: 'The entry of this signature in the audit trail is not sealed, and does not wait to be',
  check_entry_of_another_person: 'The entry of this signature in the audit trail is of another person',
  check_entry_of_other_content: 'The entry of this signature in the audit trail is of another signed content',
  check_entry_at_another_time: ({ signed, entered }: { signed: string; entered: string }) =>
    `It says that it was signed at ${signed}, and its entry was written at ${entered}`,
  check_dated_back: ({ signed, what }: { signed: string; what: string }) =>
    `It says that it was signed at ${signed}, before ${what}`,
  check_what_preceding: ({ id }: { id: number }) => `the signature ${id} that it follows`,
  check_what_account: 'there was the account or the version',
  /** `clock`: what it is dated before, because the clock had been set back. */
  check_entry: ({ clock }: { clock: readonly string[] }) =>
    `The audit trail has its entry, with its digest and time${setBack(clock)}`,
  check_entry_redacted: ({ clock }: { clock: readonly string[] }) =>
    `The audit trail has its entry, with its time. The detail of the entry was redacted${setBack(clock)}`,
  check_entry_without_digest: ({ clock }: { clock: readonly string[] }) =>
    `The audit trail has its entry, with its time. The entry names no digest${setBack(clock)}`,
  check_record_gone: 'The signed record does not exist',
  check_record_superseded: ({ signed, now }: { signed: number; now: number }) =>
    `The record was reopened or changed after signing: content revision ${signed} was signed, the current one is ${now}. They were not compared`,
  check_record_unchanged: 'The signed content is unchanged since signing',
  check_record_altered: ({ fields }: { fields: readonly string[] }) => `Changed since signing: ${fields.join(', ')}`,
  check_version_unchanged: 'Title, type, category, description, keywords and version are unchanged since signing',
  check_version_altered: 'Title, type, category, description, keywords or version was changed since signing',
  check_version_superseded: ({ signed, now }: { signed: number; now: number }) =>
    `The metadata was changed after signing: content revision ${signed} was signed, the current one is ${now}`,
  check_no_files: 'No files were attached',
  check_files_unchanged: 'The attached files are unchanged since signing',
  /** `files`: what became of each. */
  check_files: ({ files }: { files: readonly string[] }) => files.join('; '),
  check_file_removed: ({ name, statement }: { name: string; statement: string }) =>
    `The attached file ${name}: ${statement}`,
  check_file_missing: ({ name }: { name: string }) => `The attached file ${name} is missing`,
  check_file_altered: ({ name }: { name: string }) => `The attached file ${name} differs from the one that was signed`,
  check_version_file_unchanged: 'The stored file is unchanged since signing',
  check_version_file_missing: 'The stored file is missing',
  check_version_file_altered: 'The stored file differs from the one that was signed',
  check_version_file_another: 'The signed file is another one',
  check_removal_unsigned: ({ id }: { id: number }) =>
    `The file removal ${id} says that it was removed, but two people have not signed that`,
  check_removed: ({ is_removed, on, requested_by, decided_by, reason }: Removed) =>
    `${is_removed ? 'Removed' : 'Removal approved'} on ${on} by ${requested_by} and ${decided_by} because: ${reason}. Its content was not compared`,
  check_disposal_unsigned: ({ id }: { id: number }) =>
    `The file removal ${id} says that a disposal destroyed it, but two people have not signed that`,
  check_disposed: ({ is_removed, on, proposed_by, decided_by, number }: Disposed) =>
    `${is_removed ? 'Disposed of' : 'Disposal approved'} on ${on} by ${proposed_by} and ${decided_by} after its retention period, record of disposal ${number}. Its content was not compared`,
  check_evidence: 'The signer confirmed this content, and the proof of it verifies',
  check_evidence_of_password: 'Nothing more is kept of a password',
  check_evidence_not_named: 'The signature has evidence that it does not name',
  check_evidence_missing: 'The proof of the identity of the signer is missing',
  check_evidence_altered: 'The proof of the identity of the signer is not the one that was kept when it was signed',
  check_challenge_another: 'The challenge is another one',
  check_evidence_kind_unknown: ({ kind }: { kind: string }) =>
    `This release cannot verify evidence of the kind ${kind}`,
  check_challenge_of_another: 'The challenge was given to another person',
  check_challenge_of_other_content: 'The challenge does not name this record and this content',
  check_proof_wrong: ({ fault }: { fault: string }) => `The proof does not verify: ${fault}`,
  check_proof_unreadable: 'The proof cannot be read',
})

const setBack = (clock: readonly string[]) =>
  clock.map(what => `. The clock had been set back: it is dated before ${what}`).join('')

interface Manifestation {
  name: string
  /** For whom a deputy signed. */
  person: string | null
  role: string
  moment: string
  meaning: string
}

interface Disposed {
  is_removed: boolean
  on: string
  proposed_by: string
  decided_by: string
  number: string
}

interface Removed {
  is_removed: boolean
  on: string
  requested_by: string
  decided_by: string
  reason: string
}

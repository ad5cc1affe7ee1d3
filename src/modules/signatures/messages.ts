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
  signature_of_file_removal:
    'This signature belongs to the removal of a file, which stays as it was decided. Withdraw or reject a request that is still open.',
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
})

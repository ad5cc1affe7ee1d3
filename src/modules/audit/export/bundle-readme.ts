/** For readers who open the zip without knowing the service. */
export const bundleReadme = `An export of an audit trail that can be checked without the service that made it
===============================================================================

What is in here
  manifest.json       what was exported: tenant, filter, how many entries, the SHA-256 of each file
  manifest.sig        the signature of the manifest (a signed note, C2SP signed-note)
  entries.jsonl       the leaves of the log, one a line, in their order. "leaf" is the text that was hashed, byte for byte
  details.jsonl       who it was and what changed, with the salt: "opening" is what the leaf commits to by its hash
  redactions.jsonl    which of them were redacted, when and why. The leaves of those are still there and still checked
  checkpoint-eN.txt   the signed root of the tree of epoch N (C2SP tlog-checkpoint)
  proofs.jsonl        only in an export of a part: the proof that an entry is in the tree, for each (RFC 6962, base64)
  keys.txt            the keys that verify this, for information alone: take the key from somewhere else

How to check it
  node attest-audit-verify.mjs THIS.zip --vkey KEY [--vkey KEY of another epoch] [--old CHECKPOINT that you kept]
  It ends with 0 where all is well, 1 where something is not, 2 where it could not be checked.

How it is hashed
  leaf hash      SHA-256(0x00, leaf)                       as RFC 6962
  node hash      SHA-256(0x01, left, right)                as RFC 6962
  commitment     "sha256:" hex(SHA-256("eqms/v1/redactable", 0x00, salt, opening)): actor_commit for the person, detail_commit for the detail

What it proves, and what not
  A whole export has every entry from the first to the last that its checkpoints count. A part has entries that are in the log; that
  nothing else would have matched its filter is said by the service and signed with the manifest, but not proved.
  An older checkpoint that you kept proves that nothing that it counted was changed or cut off since: keep one from time to time.
`

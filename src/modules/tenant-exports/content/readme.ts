import type { WholeTrail } from '#modules/audit'
import type { Contents } from '../schema.ts'
import { archiveFormat, type Requested } from './manifest.ts'
import type { Snapshot } from './snapshot.ts'

interface Said {
  snapshot: Snapshot
  contents: Contents
  trail: WholeTrail
  requested: Requested
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

/** For readers who have the archive and not the service. */
export const readmeOf = ({
  snapshot,
  contents,
  trail,
  requested,
}: Said) => `# Export of ${oneLine(snapshot.tenant.name)}

Everything that Attest has of ${oneLine(snapshot.tenant.name)}, as of ${snapshot.at}, in open formats (\`${archiveFormat}\`). Requested by
${oneLine(requested.by)} at ${requested.at}: ${oneLine(requested.reason)}

To read it, open \`index.html\` in a browser. It needs no network and runs no script.

## What is in here

| file | content |
|---|---|
| \`index.html\`, \`pages/\` | lists and records to read and to print |
| \`records/TYPE.jsonl\` | each record as the API shows it, with its versions, history, comments and links: a JSON object a line |
| \`schemas/TYPE.json\` | JSON Schema (2020-12) of a line of \`records/TYPE.jsonl\` |
| \`csv/TYPE.csv\`, \`csv/TYPE.PART.csv\` | the same as tables: the records, and each list within them with the id and number of its record |
| \`files/SHA256\` | the content of each file once, under its SHA-256 |
| \`files.jsonl\` | of which record and version each file is, its name and type, and whether it is as it was stored |
| \`signatures.jsonl\` | each signature: the signed text (\`payload\`), its seal, the public key, the evidence of identity, and what its verification found |
| \`keys.json\` | the public keys of the seals, and how later keys follow from earlier ones |
| \`audit/trail.zip\` | the whole audit trail with its signed tree |
| \`tables/TABLE.jsonl\`, \`tables/tables.json\` | the rows of the database, for an import into another installation |
| \`manifest.json\`, \`manifest.sig\` | every file with its size and SHA-256, and the signature of this list |
| \`SHA256SUMS\` | the same hashes for \`sha256sum -c SHA256SUMS\` |
| \`verifier/\` | programs that check all of this without the service; they need Node 22 or newer, and nothing else |

Moments are in UTC. Texts are UTF-8. CSV files have a byte order mark and the separator \`,\`; a text that a spreadsheet would take for a formula
has an apostrophe before it.

Not in here: passwords, second factors, sessions, keys of service accounts and secrets of identity providers; notifications and e-mails, which
repeat what is in the records; and search indexes and statistics, which are derived from them.

## How to check it without us

\`\`\`
node verifier/attest-export-verify.mjs . --vkey KEY --key KEY
\`\`\`

checks the signature of \`manifest.json\`, the size and hash of every file, that no file was added, the audit trail, and the seal and the evidence of each signature. It
ends with 0 where all is valid, 1 where something is not, and 2 where it could not be checked. Run it on the zip, and it checks the manifest and the
files. Without Node, \`sha256sum -c SHA256SUMS\` compares the hashes, and \`manifest.sig\` is an Ed25519 signature (C2SP signed-note).

\`--vkey\` is the key of the audit trail, \`--key\` that of the signatures. Take them from somewhere else than this archive, such as the contract, the validation
file, or \`GET /api/audit/checkpoint\` and \`signing-key list\` of the installation: a forged archive would come with forged keys. Those of this archive say that they are

\`\`\`
--vkey ${trail.vkey}
${snapshot.keys.public.map(({ public_key }) => `--key ${public_key}`).join('\n')}
\`\`\`

## What is in numbers

| | |
|---|---|
${Object.entries(contents.records)
  .map(([name, count]) => `| ${name} | ${count} |`)
  .join('\n')}
| files | ${contents.files} (${contents.files_bytes} bytes) |
| files that are missing or altered in the store | ${contents.files_missing} |
| files whose content was removed by two people | ${contents.files_removed} |
| signatures | ${contents.signatures}, of which ${contents.signatures_valid} are valid |
| entries of the audit trail | ${contents.audit_entries} |
`

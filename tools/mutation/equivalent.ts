import type { Equivalent } from './report.ts'

/** Survivors that no test can find, each with its reason. */
export const equivalents: readonly Equivalent[] = [
  {
    file: 'src/modules/audit/log/merkle.ts',
    original: 'fn !== 0',
    replacement: 'true',
    why: 'As RFC 9162 has it; fn is odd here, or as large as sn, which is not 0',
  },
  {
    file: 'src/modules/audit/log/merkle.ts',
    original: '!first',
    replacement: 'false',
    why: 'A size that is no power of two leaves a way to go, on which nothing is found: the answer is no as well',
  },
  {
    file: 'src/modules/audit/log/note.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    why: 'What did not match has no parts, from the second on',
  },
  {
    file: 'src/modules/audit/log/note.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    why: 'No text is the base64 that is missing',
  },
  ...['/([^\\s+]+)\\+([0-9a-f]{8})\\+([A-Za-z0-9+/]{44})$/', '/^([^\\s+]+)\\+([0-9a-f]{8})\\+([A-Za-z0-9+/]{44})/'].map(
    replacement => ({
      file: 'src/modules/audit/log/note.ts',
      original: '/^([^\\s+]+)\\+([0-9a-f]{8})\\+([A-Za-z0-9+/]{44})$/',
      replacement,
      why: 'A key is compared with what is made of its parts, which has nothing before or behind them',
    }),
  ),
  {
    file: 'src/modules/accounts/rules.ts',
    original: '/^[A-Za-z]/',
    replacement: '/[A-Za-z]/',
    why: 'What begins with something else than a letter, and has a letter in it, is no time zone to Intl either',
  },
  {
    file: 'src/modules/training/curricula/rules.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    why: 'What is no step leads from nothing: the way of a circle begins behind it',
  },
  {
    file: 'src/modules/workflows/approvers.ts',
    original: "typeof who === 'string'",
    replacement: 'true',
    why: 'Nobody has a permission that is a number',
  },
  {
    file: 'src/modules/workflows/approvers.ts',
    original: 'delegations.length === 0',
    replacement: 'false',
    why: 'Where nothing was handed on, nobody gave and nobody received',
  },
  {
    file: 'src/modules/workflows/engine.ts',
    original: 'rule > open[0]!.rule',
    replacement: 'rule >= open[0]!.rule',
    why: 'Whom the open rule names is not refused here',
  },
  {
    file: 'src/modules/workflows/engine.ts',
    original: 'instance.round + 1',
    why: 'What a state answers that awaits an approval does not depend on the round',
  },
  {
    file: 'src/modules/workflows/engine.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    why: 'A text is no approval and no delegation: none counts',
  },
  {
    file: 'src/modules/dashboard/rules.ts',
    original: 'person_id !== null',
    replacement: 'true',
    why: 'Nobody has the id null: no person is found',
  },
  {
    file: 'src/modules/dashboard/rules.ts',
    original: 'due_date !== null',
    replacement: 'true',
    why: 'null comes before no day',
  },
  {
    file: 'src/modules/documents/core/rules.ts',
    original: '[]',
    why: 'A kind of state that no version is in lets nobody read more',
  },
  {
    file: 'src/modules/forms/data-rules.ts',
    original: 'value.length > 2 * max',
    replacement: 'false',
    why: 'What is more than twice as long has too many characters, whoever counts them: it only takes longer',
  },
  {
    file: 'src/modules/roles/rules.ts',
    original: 'role.inherits_role_id === null',
    replacement: 'false',
    why: 'No role has the id null: it is not found, and the chain ends as well',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: '[]',
    replacement: '["Stryker was here"]',
    why: 'What did not match has no parts; a text in a list is no signature, and no hash of a proof',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: "''",
    replacement: '"Stryker was here!"',
    why: 'Where it stands something else is missing as well, and that is refused',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: 'id?.toString',
    why: 'Where there are no bytes, their first is not 1',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: 'end < 0',
    why: 'A note without a text has no lines, and so no origin',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: 'each.bytes.length === 68',
    replacement: 'true',
    why: 'No signature of Ed25519 has another length',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: 'at < end',
    replacement: 'at <= end',
    why: 'Where nothing is left nothing is read',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: "'latin1'",
    replacement: '""',
    why: 'The bytes that end a zip are ASCII',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: 'at + 46 > size',
    replacement: 'at + 46 >= size',
    why: 'Behind these bytes each file has a name',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: '!zip.read.has(name)',
    replacement: 'true',
    why: 'What is read again is the same',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: 'found?.sha256',
    why: 'What was not read to its end was refused before',
  },
  {
    file: 'verifier/attest-audit-verify.mjs',
    original: 'found?.size',
    why: 'What was not read to its end was refused before',
  },
  {
    file: 'src/modules/workflows/approval-rules.ts',
    original: 'percent !== undefined',
    replacement: 'false',
    why: 'Here there is a person, and a percentage is never of fewer than one',
  },
  ...[
    { original: 'people.filter(({ size }) => size <= most)', replacement: 'people' },
    { original: 'size <= most', replacement: 'true' },
  ].map(each => ({
    ...{ file: 'src/modules/workflows/approval-rules.ts', ...each },
    why: 'Whom only rules of many people name is missed by none of them: it only takes longer to find that out',
  })),
  ...[
    { original: 'named.size - without.size >= total', replacement: 'false' },
    { original: 'named.size - without.size >= total', replacement: 'named.size - without.size > total' },
    { original: '(sum, count) => sum + count', replacement: '() => undefined' },
  ].map(each => ({
    ...{ file: 'src/modules/workflows/matching.ts', ...each },
    why: 'A rule of so many people gets all its places, also among the others: it only takes longer to find that out',
  })),
]

import type { Equivalent } from './report.ts'

/** Survivors that no test can find, each with its reason. */
export const equivalents: readonly Equivalent[] = [
  {
    file: 'src/modules/audit/merkle.ts',
    original: 'fn !== 0',
    replacement: 'true',
    why: 'As RFC 9162 has it; fn is odd here, or as large as sn, which is not 0',
  },
  {
    file: 'src/modules/audit/merkle.ts',
    original: '!first',
    replacement: 'false',
    why: 'A size that is no power of two leaves a way to go, on which nothing is found: the answer is no as well',
  },
  {
    file: 'src/modules/audit/note.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    why: 'What did not match has no parts, from the second on',
  },
  {
    file: 'src/modules/audit/note.ts',
    original: "''",
    replacement: '"Stryker was here!"',
    why: 'No text is the base64 that is missing',
  },
  ...['/([^\\s+]+)\\+([0-9a-f]{8})\\+([A-Za-z0-9+/]{44})$/', '/^([^\\s+]+)\\+([0-9a-f]{8})\\+([A-Za-z0-9+/]{44})/'].map(
    replacement => ({
      file: 'src/modules/audit/note.ts',
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
    file: 'src/modules/documents/rules.ts',
    original: '[]',
    why: 'A kind of state that no version is in lets nobody read more',
  },
  {
    file: 'src/modules/roles/rules.ts',
    original: 'role.inherits_role_id === null',
    replacement: 'false',
    why: 'No role has the id null: it is not found, and the chain ends as well',
  },
]

// The files to mutate, and the suites that must find their mutants: those without a database, because each mutant runs them anew. A
// suite counts for the lines that it runs in its own process: Stryker's runner sees no other.

export interface Target {
  name: string
  mutate: readonly string[]
  suites: readonly string[]
}

const pages = 'tools/mutation/pages.ts'

const rulesOf = (
  module: string,
  files: readonly string[],
  suites: readonly string[],
  ...more: readonly string[]
): Target => ({
  name: module,
  mutate: files.map(file => `src/modules/${module}/${file}.ts`),
  suites: [...suites.map(suite => `src/modules/${module}/${suite}.test.ts`), ...more],
})

export const targets: readonly Target[] = [
  {
    ...rulesOf('workflows', ['engine', 'approvers'], ['engine', 'approvers', 'rules', 'builtin', 'engine.properties']),
    name: 'engine',
  },
  rulesOf('workflows', ['rules', 'approval-rules', 'matching'], ['rules', 'engine', 'engine.properties']),
  rulesOf('roles', ['rules'], ['rules']),
  rulesOf('accounts', ['rules'], ['rules']),
  rulesOf('documents', ['core/rules'], ['core/rules']),
  rulesOf('signatures', ['rules'], ['rules']),
  rulesOf('deviations', ['rules'], ['rules'], pages),
  rulesOf('capas', ['rules'], ['guards'], pages),
  rulesOf(
    'training',
    ['rules', 'curricula/rules', 'assignments/rules'],
    ['rules', 'curricula/rules', 'assignments/rules'],
    pages,
  ),
  rulesOf('forms', ['data-rules', 'template-rules'], ['data-rules', 'template-rules', 'rules.properties']),
  rulesOf('similar', ['rules'], ['rules']),
  rulesOf('dashboard', ['rules'], ['rules']),
  rulesOf('status', ['rules'], ['rules']),
  { ...rulesOf('audit', ['trail/rules'], ['trail/rules']), name: 'changes' },
  // Not by merkle.test, which tries trees up to 300 leaves: each mutant would pay seconds for what small trees find.
  { ...rulesOf('audit', ['log/merkle', 'log/note'], ['log/merkle.answers', 'log/note']), name: 'proofs' },
  {
    name: 'verifier',
    mutate: ['verifier/attest-audit-verify.mjs'],
    suites: ['verifier', 'verifier-entries', 'verifier-zip', 'verifier-program'].map(suite => `test/${suite}.test.ts`),
  },
]

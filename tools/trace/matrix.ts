import { type Claim, claimsOf } from './claims.ts'
import { regulations } from './clauses.ts'
import { requirements } from './requirements.ts'
import { type LastRun, type Outcome, outcomes } from './results.ts'

interface Proof extends Omit<Claim, 'id'> {
  outcome: Outcome
  /** On which servers. */
  servers: string[]
}
export interface Requirement {
  id: string
  says: string
  outcome: Outcome
  proofs: Proof[]
}
interface TracedClause {
  regulation: string
  clause: string
  says: string
  /** Undefined where nothing of it is the software's. */
  outcome?: Outcome
  proved_by: string[]
  by_procedure: string | null
}
export interface Matrix {
  run: Omit<LastRun, 'results'> | null
  requirements: Requirement[]
  clauses: TracedClause[]
}

/** The worst of them; that nothing ran is worse than that something was skipped. */
const worst = (some: readonly Outcome[]): Outcome => outcomes.find(outcome => some.includes(outcome)) ?? 'not run'

/** `tests`: the text of each file of tests. */
export function matrixOf(tests: ReadonlyMap<string, string>, run: LastRun | undefined): Matrix {
  const claims = [...tests].flatMap(([file, text]) => claimsOf(file, text))
  const results = Map.groupBy(run?.results ?? [], ({ file }) => file)
  const proofOf = ({ id: _, ...claim }: Claim): Proof => {
    const about = (results.get(claim.file) ?? []).filter(({ line }) => claim.line === undefined || line === claim.line)
    return {
      ...claim,
      outcome: about.length === 0 ? 'not run' : worst(about.map(({ outcome }) => outcome)),
      servers: [...new Set(about.map(({ server }) => server))].sort(),
    }
  }
  const traced = Object.entries(requirements).map(([id, says]) => {
    const proofs = claims.filter(claim => claim.id === id).map(proofOf)
    return { id, says, outcome: worst(proofs.map(({ outcome }) => outcome)), proofs }
  })
  const outcomeOf = new Map(traced.map(({ id, outcome }) => [id, outcome]))
  const clauses = Object.entries(regulations).flatMap(([regulation, each]) =>
    each.map(({ clause, says, proved_by, by_procedure }) => ({
      regulation,
      clause,
      says,
      ...(proved_by.length > 0 && { outcome: worst(proved_by.map(id => outcomeOf.get(id) ?? 'not run')) }),
      proved_by: [...proved_by],
      by_procedure: by_procedure ?? null,
    })),
  )
  return { run: run ? { at: run.at, commit: run.commit, left_out: run.left_out } : null, requirements: traced, clauses }
}

/** The gaps of the matrix, whatever the last run said. */
export function defectsOf(tests: ReadonlyMap<string, string>): string[] {
  const claims = [...tests].flatMap(([file, text]) => claimsOf(file, text))
  const proved = new Set(claims.map(({ id }) => id))
  return [
    ...claims
      .filter(({ id }) => !Object.hasOwn(requirements, id))
      .map(({ id, file, line }) => `${file}:${line ?? 1} proves ${id}, which is no requirement`),
    ...Object.keys(requirements)
      .filter(id => !proved.has(id))
      .map(id => `${id} has no test: ${requirements[id]}`),
    ...Object.entries(regulations).flatMap(([regulation, clauses]) =>
      clauses.flatMap(({ clause, proved_by, by_procedure }) => [
        ...(proved_by.length === 0 && !by_procedure
          ? [`${regulation} ${clause} is proved by nothing, and by no procedure`]
          : []),
        ...proved_by
          .filter(id => !Object.hasOwn(requirements, id))
          .map(id => `${regulation} ${clause} is proved by ${id}, which is no requirement`),
      ]),
    ),
  ]
}

import type { Fact } from './fact.ts'

/** A training assignment with its first attempt. Days are in the time zone that is counted by. */
export interface CountedAssignment {
  is_open: boolean
  assigned_on: string
  completed_on: string | null
  due_date: string
  first_attempt: { submitted_on: string; passed: boolean } | null
}

export function assignmentFacts(assignment: CountedAssignment): Fact[] {
  const { completed_on, due_date, first_attempt } = assignment
  const facts: Fact[] = [['assignments.assigned', assignment.assigned_on, '']]
  if (assignment.is_open) facts.push(['assignments.open', due_date, ''])
  if (completed_on) facts.push(['assignments.completed', completed_on, completed_on <= due_date ? 'on_time' : 'late'])
  if (first_attempt)
    facts.push(['attempts.first', first_attempt.submitted_on, first_attempt.passed ? 'passed' : 'failed'])
  return facts
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggestSeverity } from './index.ts'

// proves: AI-04
test('a suggestion names its severity, a confidence, the rules that fired and the words that fired them', () => {
  const { severity, confidence, rationale, rules } = suggestSeverity(
    'Sterility test of lot 24F031 positive. Two lots were distributed and administered to patients, one of whom died.',
  )
  assert.equal(severity, 'critical')
  assert.ok(confidence > 0.7 && confidence <= 1)
  assert.ok(rules.includes('harm to people') && rules.includes('contamination'))
  assert.match(rationale, /harm to people \(\+5\): "died"/)
})

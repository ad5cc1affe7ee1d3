import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { suggestSeverity } from './index.ts'
import { rules, thresholds } from './rules.ts'
import { wordsOf } from './words.ts'

const namesOf = (text: string) => suggestSeverity(text).rules
const severityOf = (text: string) => suggestSeverity(text).severity

// proves: AI-04
describe('the suggestion of a severity', () => {
  it('names a confidence, the rules that fired and the words that fired them', () => {
    const {
      severity,
      confidence,
      rationale,
      rules: fired,
    } = suggestSeverity(
      'Sterility test of lot 24F031 positive. Two lots were distributed and administered to patients, one of whom died.',
    )
    assert.equal(severity, 'critical')
    assert.ok(confidence > 0.7 && confidence <= 1)
    assert.ok(fired.includes('harm to people') && fired.includes('contamination'))
    assert.match(rationale, /harm to people \(\+6, decides\): "died"/)
    for (const name of fired) assert.ok(rationale.includes(name), name)
  })

  it('does not count what the text denies, and says so', () => {
    for (const text of [
      'No patient was injured.',
      'The patients were not injured.',
      "It didn't contaminate the product.",
      'Contamination was excluded.',
      'Contamination was ruled out.',
      'No deaths, injuries or infections were reported.',
      'The batch was never administered.',
      'The tank is free, without contamination.',
    ]) {
      const { severity, rules: fired } = suggestSeverity(text)
      assert.equal(severity, 'minor', text)
      for (const name of ['harm to people', 'reached patients', 'contamination'])
        assert.ok(!fired.includes(name), `${text} ${name}`)
    }
    assert.match(suggestSeverity('The line stood still. No patient died.').rationale, /denies.*"died"/)
  })

  it('denies no further than the clause goes', () => {
    assert.ok(namesOf('It was not noticed, but two patients died.').includes('harm to people'))
    assert.ok(namesOf('No alarm sounded; a patient died.').includes('harm to people'))
    assert.ok(namesOf('No alarm sounded. A patient died.').includes('harm to people'))
    assert.ok(namesOf('See entry no. 5: a patient died.').includes('harm to people'))
    assert.ok(namesOf('Not only the operator, a patient died.').includes('harm to people'))
    assert.ok(namesOf('Cleaning was not documented and contamination was found.').includes('contamination'))
  })

  it('counts half of what the text is not sure of', () => {
    const points = (text: string) => /contamination \(\+([\d.]+)(, uncertain)?\)/.exec(suggestSeverity(text).rationale)
    assert.equal(points('The buffer was contaminated.')![1], '2.5')
    for (const text of [
      'The buffer was possibly contaminated.',
      'The buffer may have been contaminated.',
      'The buffer could be contaminated.',
      'Contamination of the buffer cannot be excluded.',
      'Contamination of the buffer could not be ruled out.',
      'There was a risk of contamination.',
    ])
      assert.deepEqual(points(text)?.slice(1), ['1.25', ', uncertain'], text)
    assert.equal(points('Since 3 May the buffer was contaminated.')![2], undefined)
  })

  it('is minor and hardly sure where it finds nothing, and says so', () => {
    for (const text of ['The quick brown fox', 'It was as it is.']) {
      const { severity, confidence, rationale, rules: fired } = suggestSeverity(text)
      assert.deepEqual([severity, fired], ['minor', []], text)
      assert.ok(confidence <= 0.2, text)
      assert.match(rationale, /No published rule matches/)
    }
  })

  it('is not minor where it does not understand the text, and says so', () => {
    for (const text of [
      '',
      'x',
      '!!!',
      '日本語の説明',
      '👩‍🔬',
      '\u0000',
      'Chromatogramme gelöscht',
      'Die Charge wurde vom Bediener ohne Freigabe ausgeliefert.',
      'No impact on product. Der Bediener hat die Chromatogramme gelöscht.',
      'Le patient est mort.',
    ]) {
      const { severity, confidence, rationale } = suggestSeverity(text)
      assert.notEqual(severity, 'minor', text)
      assert.ok(confidence <= 0.2, text)
      assert.match(rationale, /^Not understood: the published rules read only English/, text)
    }
    assert.equal(suggestSeverity('Der Patient died, das Produkt ist im Markt.').severity, 'critical')
    for (const text of [
      'A 5 µm filter was changed a day late.',
      'The label "Nicht verwenden" was missing at the tank.',
    ])
      assert.doesNotMatch(suggestSeverity(text).rationale, /Not understood/, text)
  })

  const decisive: Record<string, string[]> = {
    'data falsified': [
      'Operator deleted chromatograms and re-ran samples until they passed',
      'The analyst altered the raw data',
      'The entries were backdated',
      'The test was repeated until it passed',
      'Without approval he deleted the failing injections',
      'The supervisor did not report that results had been deleted',
      'Results were deleted and not reported, patients were not affected',
    ],
    'shared log-in': ['Operators share a password', 'He logged in with the account of a colleague'],
    'signature falsified': ['The signature was forged', 'She signed for a colleague who was not present'],
    'harm to people': [
      'Patient died',
      'Fatal overdose of one patient',
      'No alarm sounded and the patient died',
      'It was not noticed before a patient died',
    ],
    counterfeit: ['Counterfeit packs were found', 'The cartons are counterfeit'],
    'sterility lost': ['The sterility test was positive', 'Vials were not sterile'],
    'mix-up': ['Labels were mixed up', 'Cartons labelled 5 mg contain tablets of 50 mg'],
  }
  const reassurance =
    'No impact on product, patients or data. Corrected immediately the same day; all results are within limits and conform.'

  for (const [rule, texts] of Object.entries(decisive))
    it(`is critical for ${rule}, whatever else the text says`, () => {
      for (const text of texts)
        for (const whole of [`${text}.`, `${text}. ${reassurance}`, `${reassurance} ${text}!`, text.toUpperCase()]) {
          const { severity, rules: fired } = suggestSeverity(whole)
          assert.equal(severity, 'critical', whole)
          assert.ok(fired.includes(rule), `${whole}: ${fired.join(', ')}`)
        }
    })

  it('is major at least and not sure where a decisive rule is uncertain, and not critical where it is denied or something else', () => {
    for (const text of ['Mix-up cannot be ruled out.', 'A mix-up is possible.', 'Results were possibly deleted.']) {
      const { severity, confidence } = suggestSeverity(`${text} ${reassurance}`)
      assert.equal(severity, 'major', text)
      assert.ok(confidence <= 0.8, text)
    }
    for (const text of [
      'No data were deleted.',
      'The results were not altered.',
      'No patient died.',
      'No deaths, injuries or infections were reported.',
      'Mix-up was excluded.',
      'Dead leg inspection done a day late.',
      'Fatal error on the printer.',
      'Minutes of the mix-up workshop filed late.',
    ])
      assert.notEqual(suggestSeverity(`${text} ${reassurance}`).severity, 'critical', text)
  })

  it('reads words in any case, width and accent, with hyphens, and with what cannot be seen between their letters', () => {
    for (const text of [
      'A PATIENT DIED',
      'a patient ｄｉｅｄ',
      'a patient díed',
      'a patient di\u00aded',
      'a patient di\u200bed',
      '(died)',
    ])
      assert.ok(namesOf(text).includes('harm to people'), text)
    assert.ok(namesOf('Mix-up of two lots').includes('mix-up'))
    assert.ok(namesOf('The patient\u2019s pump didn\u2019t work, and the patient died').includes('harm to people'))
    assert.deepEqual(
      wordsOf('11.4 °C, 1,200 units; w/o label').map(({ form }) => form),
      ['11.4', 'c', '1,200', 'units', 'w/o', 'label'],
    )
  })

  it('answers the same each time, whatever was asked before', () => {
    const text = 'Filter integrity test failed; lot on hold.'
    const first = suggestSeverity(text)
    suggestSeverity('Two patients died.')
    assert.deepEqual(suggestSeverity(text), first)
  })

  it('takes a megabyte of anything in a time that grows with its length only, and answers briefly', () => {
    const megabyte = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length))
    const hostile = [
      'a',
      'patient ',
      'not ',
      'no, or ',
      ', ',
      'not possibly cannot be excluded ',
      'patients .. received ',
      'batch ',
      'serious adverse ',
      "'",
      "n't",
      '1.1',
      '1,',
      '\u0301',
      '\u200b',
      '\ud83d\ude00',
      'a\u0301',
      '.',
      '"',
      'w/o ',
      'd\u00adied ',
      'deleted x x x x ',
      'no lots or lots, ',
    ]
    for (const piece of hostile) {
      const begun = process.cpuUsage()
      const { rationale, confidence } = suggestSeverity(megabyte(piece))
      const taken_ms = process.cpuUsage(begun).user / 1000
      assert.ok(taken_ms < 10_000, `${JSON.stringify(piece)}: ${taken_ms} ms`)
      assert.ok(rationale.length < 20_000 && rationale.isWellFormed(), JSON.stringify(piece))
      assert.ok(confidence >= 0 && confidence <= 1)
    }
  })

  it('is by rules with names of their own, each with points that speak for its severity', () => {
    assert.equal(new Set(rules.map(({ name }) => name)).size, rules.length)
    for (const { name, points, severity, dimension, signals } of rules) {
      assert.equal(points < 0, dimension === 'reassurance', name)
      assert.equal(points < 0, severity === 'minor', name)
      assert.ok(signals.length > 0 && new Set(signals).size === signals.length, name)
    }
    assert.ok(thresholds.major < thresholds.critical)
  })

  it('is not raised to critical by any number of things that are major', () => {
    const text =
      'Again the bioburden of the bulk exceeded the action limit after a power failure; the step was skipped, the page is missing, the authority has asked, the filter was torn and used, investigation open, lots on hold for months.'
    assert.equal(severityOf(text), 'major')
  })
})

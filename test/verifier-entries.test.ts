// The verifier's checks of an export's entries: that they are those of the log, as they were recorded.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { makeBundle, signedAnew, withLines } from '#test/builders/bundles.ts'
import { failed, line, lines, part, whole } from '#test/world/verdicts.ts'

describe('an entry (proves: AUD-04)', () => {
  it('follows the one before', async () => {
    const no = (before: string) => [`entries.jsonl: the line behind ${before} is no entry that follows`]
    for (const [at, before] of [
      [0, 'the beginning'],
      [2, '2'],
    ] as const)
      for (const change of [
        ...[{ seq: 0 }, { seq: at }, { seq: -1 }, { seq: '3' }, { seq: 1.5 }, { seq: null }],
        ...[{ index: -1 }, { index: '0' }, { leaf: null }, { leaf: '\ud800' }],
      ])
        await failed(line('entries.jsonl', at, change), no(before))
  })

  it('has a place in a checkpoint', async () => {
    const no = ['Entry 3 has no place in a checkpoint']
    for (const change of [{ epoch: 3 }, { epoch: 2 }, { index: 1 }, { index: 3 }, { epoch: 2, index: 0 }])
      await failed(line('entries.jsonl', 2, change), no)
    const beyond = lines('entries.jsonl', all => [...all.slice(0, 3), { ...all[2], seq: 4, index: 3 }])
    await failed(beyond, ['Entry 4 has no place in a checkpoint'])
  })

  it('is of the log and of the tenant', async () => {
    const leaf = JSON.parse(withLeaf(0))
    for (const change of [{ v: '2' }, { log: 'x' }, { tenant: '3' }])
      await failed(line('entries.jsonl', 0, { leaf: JSON.stringify({ ...leaf, ...change }) }), [
        'Entry 1 is not of this log',
        'The entries of epoch 1 do not hash to the root of its checkpoint',
      ])
    const all = [1, 2, 3, 4, 5].map(seq => `Entry ${seq} is not of this log`)
    const tenants = [{ id: 3 }, undefined]
    for (const tenant of tenants)
      await failed(
        signedAnew(whole.files, manifest => Object.assign(manifest, { tenant })),
        all,
      )
    await failed(line('entries.jsonl', 0, { leaf: '[]' }), ['The leaf of entry 1 is no JSON object'])
  })

  it('is missed where it is not there, in the middle, at the end or all but the first', async () => {
    const without = (at: number, count: number, change = {}) => {
      let { files } = whole
      for (const name of ['entries.jsonl', 'details.jsonl'])
        files = withLines(files, name, all => all.toSpliced(at, count))
      return signedAnew(files, manifest => Object.assign(manifest, change))
    }
    await failed(without(2, 1, { count: 4 }), [
      'Entry 4 follows 2: those between are missing',
      'Epoch 1 has 2 entries, its checkpoint counts 3',
    ])
    await failed(without(4, 1, { count: 4, last_seq: 4 }), ['Epoch 2 has 1 entries, its checkpoint counts 2'])
    await failed(without(0, 1, { count: 4, first_seq: 2 }), [
      'Entry 2 follows 0: those between are missing',
      'Epoch 1 has 2 entries, its checkpoint counts 3',
    ])
  })

  it('begins an epoch by saying why, but for the first', async () => {
    const leaf = (at: number) => ({ leaf: JSON.stringify({ ...JSON.parse(withLeaf(at)), action: 'user.created' }) })
    const root = (epoch: number) => `The entries of epoch ${epoch} do not hash to the root of its checkpoint`
    await failed(line('entries.jsonl', 3, leaf(3)), ['Epoch 2 does not begin with saying why', root(2)])
    await failed(line('entries.jsonl', 4, leaf(4)), [root(2)])
    await failed(line('entries.jsonl', 0, leaf(0)), [root(1)])
  })

  it('of a part is proved to be in the log', async () => {
    const no = ['Entry 4 has no proof']
    const proof = JSON.parse(part.files.get('proofs.jsonl')!.toString().split('\n')[1]!).proof as string[]
    const hash = proof[0]!
    for (const change of [
      ...[{ seq: 3 }, { seq: null }, { proof: [...proof.slice(1), 'x'] }, { proof: [...proof.slice(1), null] }],
      ...[{ proof: Array.from({ length: 54 }, () => hash) }],
    ])
      await failed(line('proofs.jsonl', 1, change, part), no)
    const not = ['Entry 4 is not in the log']
    for (const each of [
      proof.slice(1),
      [...proof, hash],
      [hash, ...proof],
      proof.toReversed(),
      proof.with(0, proof[1]!),
      [],
      'none',
    ])
      await failed(line('proofs.jsonl', 1, { proof: each }, part), not)
    await failed(line('proofs.jsonl', 1, { proof: Array.from({ length: 53 }, () => hash) }, part), not)
    await failed(
      lines('proofs.jsonl', all => all.slice(0, 1), part),
      no,
    )
  })

  it('has no check that failed and is said to be well', async () => {
    const changed = { opening: '{}', salt: '0'.repeat(32) }
    for (const [bundle, reason, check] of [
      [
        line('details.jsonl', 0, { detail: changed }),
        'Entry 1: its detail is not what was recorded',
        'the leaf of each',
      ],
      [
        lines('redactions.jsonl', () => []),
        'Entry 2: its person is missing, and was not redacted',
        'redacted, and listed so',
      ],
    ] as const) {
      const said = await failed(bundle, [reason])
      assert.deepEqual(
        said.filter(each => each.includes(check)),
        [],
      )
    }
    const other = new Map(part.files).set('README.txt', Buffer.from('Another one'))
    const said = await failed(other, ['README.txt is not the file of the manifest'])
    assert.ok(!said.some(each => each.includes('files are those of the manifest')))
  })

  it('has its detail and its person, as they were recorded', async () => {
    await failed(
      lines('details.jsonl', all => all.toSpliced(1, 1)),
      ['details.jsonl has nothing of entry 2'],
    )
    await failed(
      lines('details.jsonl', all => all.slice(0, -1)),
      ['details.jsonl has nothing of entry 5'],
    )
    const [first] = whole.files
      .get('details.jsonl')!
      .toString()
      .split('\n')
      .map(each => each && JSON.parse(each))
    for (const name of ['person', 'detail']) {
      const { salt, opening } = first[name]
      for (const each of [
        ...[undefined, 'x', {}, { salt }, { opening }, { salt: 1, opening }, { salt, opening: 1 }],
        ...[
          { salt: `${salt}00`, opening },
          { salt: salt.slice(2), opening },
          { salt: `x${salt.slice(1)}`, opening },
        ],
        ...[
          { salt, opening: `${opening} ` },
          { salt: salt.replace(/./g, '0'), opening },
          { salt, opening: '\ud800' },
        ],
      ])
        await failed(line('details.jsonl', 0, { [name]: each }), [`Entry 1: its ${name} is not what was recorded`])
    }
  })

  it('is opened by a salt of sixteen bytes and by a text alone, whatever a commitment was made of', async () => {
    const root = 'The entries of epoch 1 do not hash to the root of its checkpoint'
    const reasons = (salt: string, opening: string, committed = opening) => {
      const hash = createHash('sha256')
        .update('eqms/v1/redactable\0')
        .update(Buffer.from(salt, 'hex'))
        .update(committed)
      const leaf = JSON.stringify({ ...JSON.parse(withLeaf(0)), actor_commit: `sha256:${hash.digest('hex')}` })
      const files = withLines(whole.files, 'entries.jsonl', all => all.with(0, { ...all[0], leaf }))
      const person = { salt, opening }
      return signedAnew(withLines(files, 'details.jsonl', all => all.with(0, { ...all[0], person })))
    }
    const not = 'Entry 1: its person is not what was recorded'
    const salt = '0'.repeat(32)
    await failed(reasons(salt, '\ufffd'), [root])
    // Half a character is hashed as the one that stands for what is none.
    await failed(reasons(salt, '\ud800', '\ufffd'), [not, root])
    for (const other of [`${salt}00`, `${salt}x`, `${salt}X`]) await failed(reasons(other, 'petra'), [not, root])
    await failed(reasons(`AA${salt}`, 'petra'), [not, root])
    await failed(reasons([salt] as unknown as string, 'petra'), [not, root])
  })

  it('is redacted only where that is listed, and listed only where it is redacted', async () => {
    const missing = (name: string) => `Entry 1: its ${name} is missing, and was not redacted`
    for (const name of ['person', 'detail']) await failed(line('details.jsonl', 0, { [name]: null }), [missing(name)])
    const there = (seq: number) => `Entry ${seq}: what is said to be redacted is there`
    const too = (seq: number, part: string) => (all: Record<string, unknown>[]) =>
      [...all, { seq, part }].sort((a, b) => Number(a.seq) - Number(b.seq))
    for (const part of ['person', 'detail']) await failed(lines('redactions.jsonl', too(1, part)), [there(1)])
    await failed(lines('redactions.jsonl', too(2, 'detail')), [there(2)])
    await failed(lines('redactions.jsonl', too(2, 'all')), [there(2)])
    await failed(lines('redactions.jsonl', too(2, 'person')), ['Entry 2: its person is listed twice as redacted'])
    await failed(
      lines('redactions.jsonl', () => []),
      [missing('person').replace('1', '2')],
    )
  })

  it('is there of everything that is said of one', async () => {
    const reason = 'There are details, redactions or proofs of entries that are not there'
    const more = (all: object[]) => [...all, { ...all.at(-1), seq: 99 }]
    await failed(lines('details.jsonl', more), [reason])
    await failed(lines('redactions.jsonl', more), [reason])
    await failed(lines('proofs.jsonl', more, part), [reason])
  })

  it('is one of fifty that are told of', async () => {
    const { files, vkeys } = await makeBundle({ sizes: [52] })
    const wrong = (count: number) =>
      signedAnew(
        withLines(files, 'details.jsonl', all => all.map((each, n) => (n < count ? { ...each, person: 1 } : each))),
      )
    const fifty = Array.from({ length: 50 }, (_, n) => `Entry ${n + 1}: its person is not what was recorded`)
    await failed(wrong(50), fifty, { vkeys })
    await failed(wrong(52), [...fifty, 'and 2 more'], { vkeys })
  })
})

function withLeaf(at: number): string {
  return JSON.parse(whole.files.get('entries.jsonl')!.toString().split('\n')[at]!).leaf
}

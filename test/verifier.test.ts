// The verifier that is given away, refusal by refusal: what it says of an export of which one thing is wrong, and here of its keys, its
// checkpoints and its manifest. Beside it, of its entries (verifier-entries), of the zip (verifier-zip), and it as a program
// (verifier-program). verifier.python.test.ts lets chance change exports, and compares its answers with those of a second implementation.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Manifest, makeBundle, public_key, signedAnew, withLines } from '#test/builders/bundles.ts'
import {
  ask,
  bad,
  failed,
  folder,
  line,
  log_id,
  origins,
  part,
  replaced,
  unable,
  valid,
  vkeys,
  whole,
} from '#test/world/verdicts.ts'
import { keyId, verifierKey } from '../src/modules/audit/log/note.ts'
import { verifyBundle } from '../verifier/attest-audit-verify.mjs'

const raw = Buffer.from(public_key, 'base64')

describe('a valid export (proves: AUD-03, AUD-04)', () => {
  it('is told of in full: of the whole log', async () => {
    const { exit, said } = await ask(whole.files, { old: whole.kept[1]!, whole: true })
    assert.equal(exit, 0)
    assert.deepEqual(said, [
      `ok checkpoint of ${origins[0]}: 3 entries, signed`,
      `ok checkpoint of ${origins[1]}: 2 entries, signed`,
      'ok manifest.json is signed',
      'ok 5 entries from 1 to 5: the leaf of each, and each person and detail that is there',
      'ok epoch 1: all of its 3 entries, without a gap, hash to the signed root',
      'ok epoch 2: all of its 2 entries, without a gap, hash to the signed root',
      'ok it goes on from the older checkpoint of 2 entries: none of those was changed or cut off',
      `ok ${whole.files.size} files are those of the manifest`,
      'ok redacted, and listed so: who it was in 1 entries, what changed in 0',
    ])
  })

  it('is told of in full: of a part', async () => {
    const { exit, said } = await ask(part.files)
    assert.equal(exit, 0)
    assert.deepEqual(said, [
      `ok checkpoint of ${origins[0]}: 6 entries, signed`,
      `ok checkpoint of ${origins[1]}: 5 entries, signed`,
      'ok manifest.json is signed',
      'ok 4 entries from 1 to 10: the leaf of each, and each person and detail that is there',
      'ok each is in the tree of its checkpoint (inclusion proofs); the filter is {"action":"document.created"}, and whether the log has more of them only an export of the whole log shows',
      `ok ${part.files.size} files are those of the manifest`,
    ])
  })

  it('is one of each entry of a part, wherever it is in a tree of whatever size', async () => {
    for (let size = 1; size <= 9; size++) {
      const { files, vkeys } = await makeBundle({ sizes: [size, 1], parts: true })
      await valid(files, { vkeys })
    }
  })

  it('may be of no entry at all, where the part has none', async () => {
    let { files } = part
    for (const name of ['entries.jsonl', 'details.jsonl', 'proofs.jsonl']) files = withLines(files, name, () => [])
    const none = signedAnew(files, manifest => Object.assign(manifest, { count: 0, first_seq: null, last_seq: null }))
    const { exit, said } = await ask(none)
    assert.deepEqual([exit, said[3]], [0, 'ok 0 entries: there is nothing to check in them'])
    assert.match(said[4]!, /^ok the filter is /)
  })

  it('may have its detail redacted, and both', async () => {
    const gone = (part: string) => ({ seq: 2, part, redacted_at: '2026-01-02', reason: 'asked for' })
    const files = signedAnew(
      withLines(line('details.jsonl', 1, { detail: null }), 'redactions.jsonl', () => [gone('person'), gone('detail')]),
    )
    const { exit, said } = await ask(files)
    assert.deepEqual([exit, said.at(-1)], [0, 'ok redacted, and listed so: who it was in 1 entries, what changed in 1'])
  })

  it('is checked with any of the keys that are given, with blanks around them', async () => {
    const others = vkeys.map(each => verifierKey(each.split('+')[0]!, Buffer.alloc(32, 9)))
    await valid(whole.files, { vkeys: [...others, ...vkeys.map(each => ` ${each}\n`)] })
  })

  it('goes on from each checkpoint that was kept, as a note or as the service answers it', async () => {
    for (const old of whole.kept) {
      await valid(whole.files, { old })
      await valid(whole.files, { old: JSON.stringify({ note: old }) })
    }
  })
})

describe('what an export cannot be checked with (proves: AUD-04)', () => {
  it('is no key, or a text that is none', async () => {
    await unable(whole.files, 'No key was given: --vkey', { vkeys: [] })
    const [name, id, base64] = vkeys[0]!.split('+') as [string, string, string]
    const other = Buffer.concat([Buffer.of(2), raw])
    const otherId = createHash('sha256').update(`${name}\n`).update(other).digest('hex').slice(0, 8)
    for (const text of [
      'nonsense',
      `${name}+00000000+${base64}`,
      `${name}+${otherId}+${other.toString('base64')}`,
      `${name}+${id}+${base64.slice(0, -4)}`,
      `x${vkeys[0]}`,
      `+${id}+${base64}`,
      `x ${vkeys[0]}`,
      `${vkeys[0]} x`,
    ])
      await unable(whole.files, `This is no verifier key of Ed25519: ${text}`, { vkeys: [text] })
    const long = 'x'.repeat(300)
    await unable(whole.files, `This is no verifier key of Ed25519: ${long.slice(100)}`, { vkeys: [long] })
  })

  it('is a key of another log', async () => {
    await unable(whole.files, `checkpoint-e1.txt: no key of ${origins[0]} was given`, { vkeys: [vkeys[1]!] })
    await unable(whole.files, `checkpoint-e2.txt: no key of ${origins[1]} was given`, { vkeys: [vkeys[0]!] })
  })

  it('is an older checkpoint that is none, or of an unknown signer', async () => {
    const note = whole.kept[0]!
    const [body, signature] = note.split('\n\n') as [string, string]
    const [origin, size, root] = body.split('\n') as [string, string, string]
    const [dash, name, base64] = signature.trimEnd().split(' ') as [string, string, string]
    const spoilt = [
      '',
      'x',
      note.slice(0, -1),
      `${note.slice(0, -1)}x`,
      `${note}\n`,
      note.replace('\n\n', '\n'),
      `${body}\n\n`,
      `${body}\n\n${dash} ${name}\n`,
      `${body}\n\n- ${name} ${base64}\n`,
      `${body}\n\n${dash} ${name} ${base64} x\n`,
      `${body}\n\nx${dash} ${name} ${base64}\n`,
      `${body}\n\n${dash} a+b ${base64}\n`,
      `${body}\n\n${dash} ${name} ${base64}=\n`,
      `${body}\n\n${dash} ${name} AAAAAA==\n`,
      `${body}\n\n${signature}${dash} ${name}\n`,
      `\n${size}\n${root}\n\n${signature}`,
      `${origin}\n01\n${root}\n\n${signature}`,
      `${origin}\n-1\n${root}\n\n${signature}`,
      `${origin}\n1x\n${root}\n\n${signature}`,
      `${origin}\n12345678901234567\n${root}\n\n${signature}`,
      `${origin}\n${size}\n${root.slice(0, -4)}\n\n${signature}`,
      `${origin}\n${size}\n${root.slice(0, -2)}9=\n\n${signature}`,
      `${origin}\n${size}\n\n${signature}`,
      `${origin}\n${size}\n${root}\nmore\n\n${signature}`,
      note.replace(origin, `${origin}\ud800`),
      JSON.stringify({ note: null }),
    ]
    for (const old of spoilt) await unable(whole.files, 'The older checkpoint is none', { old })
    for (const old of ['{', '{"note"', '{} {}'])
      await unable(whole.files, 'The older checkpoint is no JSON object', { old })
    const changed = note.replace(`\n${size}\n`, '\n2\n')
    const unsigned = `The older checkpoint is not signed by a key that was given for ${origins[0]}`
    await unable(whole.files, unsigned, { old: changed })
    const other = `The older checkpoint: no key of attest/t/x/e1 was given`
    await unable(whole.files, other, { old: note.replace(origin, 'attest/t/x/e1') })
  })

  it('is an older checkpoint beside an export of a part', async () => {
    const reason = 'An older checkpoint is compared with an export of the whole log alone'
    await unable(part.files, reason, { old: part.kept[0]! })
  })

  it('is a file that is not there', async () => {
    const { exit, lines } = await verifyBundle(join(folder, 'none.zip'), { vkeys })
    assert.equal(exit, 2)
    assert.match(lines.map(({ text }) => text).join(), /^.*none\.zip cannot be read: ENOENT/)
  })
})

describe('a signature (proves: AUD-04)', () => {
  const checkpoint = whole.files.get('checkpoint-e1.txt')!.toString()
  const [text, signature] = checkpoint.split('\n\n') as [string, string]
  const bytes = Buffer.from(signature.trimEnd().split(' ').at(-1)!, 'base64')
  const signedBy = (name: string, bytes: Buffer) =>
    replaced('checkpoint-e1.txt', `${text}\n\n— ${name} ${bytes.toString('base64')}\n`)
  const reason = `checkpoint-e1.txt is not signed by a key that was given for ${origins[0]}`

  it('counts of who it names alone, with the id of their key, and of the whole text', async () => {
    await failed(signedBy('another', bytes), [reason])
    await failed(signedBy(origins[0], Buffer.concat([Buffer.alloc(4), bytes.subarray(4)])), [reason])
    await failed(signedBy(origins[0], bytes.subarray(0, -1)), [reason])
    await failed(signedBy(origins[0], Buffer.concat([bytes, Buffer.of(0)])), [reason])
    await failed(signedBy(origins[0], Buffer.concat([bytes.subarray(0, -1), Buffer.of(bytes.at(-1)! ^ 1)])), [reason])
    const otherKey = Buffer.alloc(32, 9)
    const byOther = Buffer.concat([keyId(origins[0], otherKey), bytes.subarray(4)])
    await failed(signedBy(origins[0], byOther), [reason])
  })

  it('counts beside others that nobody knows', async () => {
    const beside = `— somebody ${Buffer.alloc(68, 7).toString('base64')}\n`
    const [body, own] = checkpoint.split('\n\n')
    await valid(signedAnew(replaced('checkpoint-e1.txt', `${body}\n\n${beside}${own}`)))
    await valid(signedAnew(replaced('checkpoint-e1.txt', `${body}\n\n${own}${beside}`)))
    const short = `— somebody ${Buffer.alloc(5, 7).toString('base64')}\n`
    await valid(signedAnew(replaced('checkpoint-e1.txt', `${body}\n\n${short}${own}`)))
  })

  it('is asked of the manifest, in the name of the newest checkpoint', async () => {
    const reason = 'manifest.sig is not the signature of manifest.json'
    const sig = whole.files.get('manifest.sig')!.toString()
    await failed(replaced('manifest.json', `${whole.files.get('manifest.json')!.toString()} `), [reason])
    await failed(replaced('manifest.sig', sig.trimEnd()), [reason])
    await failed(replaced('manifest.sig', sig.replace('bundle/1', 'bundle/2')), [reason])
    const unsigned = `manifest.json is not signed by a key that was given for ${origins[1]}`
    await failed(replaced('manifest.sig', sig.replace(`— ${origins[1]}`, `— ${origins[0]}`)), [unsigned])
  })
})

describe('a manifest (proves: AUD-04)', () => {
  const saying = (change: (manifest: Manifest) => void, { files } = whole) => signedAnew(files, change)

  it('is of a format that is known', async () => {
    await failed(
      saying(manifest => delete manifest.format),
      ['manifest.json does not say its format'],
    )
    const other = saying(manifest => Object.assign(manifest, { format: 'attest-audit-bundle/2' }))
    await unable(other, 'This is no export of the format attest-audit-bundle/1')
    for (const text of ['', '[]', 'null', '1', '"x"', '\ufeff{}'])
      await failed(replaced('manifest.json', text), ['manifest.json is no JSON object'])
    await failed(replaced('manifest.json', Buffer.of(0x7b, 0xff, 0x7d)), ['manifest.json is not UTF-8'])
  })

  it('names checkpoints, not too many, each as it is and behind the one before', async () => {
    for (const checkpoints of [undefined, [], {}])
      await failed(
        saying(manifest => Object.assign(manifest, { checkpoints })),
        ['The export has no checkpoint'],
      )
    const many = saying(manifest => Object.assign(manifest, { checkpoints: Array.from({ length: 1_101 }, () => ({})) }))
    await unable(many, 'The export has too many checkpoints')
    const { exit, said } = await ask(saying(manifest => Object.assign(manifest, { checkpoints: [null] })))
    assert.equal(exit, 2)
    assert.match(said.join(), /^unable It could not be checked: .*null/)
    const most = saying(manifest => Object.assign(manifest, { checkpoints: Array.from({ length: 1_100 }, () => ({})) }))
    await failed(most, ['checkpoint-eundefined.txt is missing'])
    await failed(replaced('checkpoint-e1.txt', 'x\n'), ['checkpoint-e1.txt is no checkpoint'])
    const no = ['checkpoint-e1.txt is not the one of the manifest']
    for (const change of [{ origin: 'x' }, { size: 2 }, { first_seq: -1 }, { first_seq: 1.5 }, { first_seq: '1' }])
      await failed(
        saying(manifest => Object.assign(manifest.checkpoints[0]!, change)),
        no,
      )
    await failed(
      saying(manifest => Object.assign(manifest, { log_id: 'x' })),
      no,
    )
    const behind = (name: string) => [`${name} does not come behind the one before`]
    await failed(
      saying(({ checkpoints }) => checkpoints.reverse()),
      behind('checkpoint-e1.txt'),
    )
    await failed(
      saying(({ checkpoints }) => checkpoints.splice(1, 1, checkpoints[0]!)),
      behind('checkpoint-e1.txt'),
    )
    await failed(
      saying(({ checkpoints }) => (checkpoints[1]!.first_seq = 3)),
      behind('checkpoint-e2.txt'),
    )
    const backwards = saying(({ checkpoints }) => {
      checkpoints.reverse()
      Object.assign(checkpoints[0]!, { first_seq: 1 })
      Object.assign(checkpoints[1]!, { first_seq: 3 })
    })
    await failed(backwards, behind('checkpoint-e1.txt'))
    const twice = saying(({ checkpoints }) => checkpoints.splice(1, 1, { ...checkpoints[0]!, first_seq: 4 }))
    await failed(twice, behind('checkpoint-e1.txt'))
    const even = await makeBundle({ log_id, sizes: [2, 2] })
    const exchanged = new Map(even.files).set('checkpoint-e1.txt', even.files.get('checkpoint-e2.txt')!)
    await failed(exchanged, no)
  })

  it('counts what is there', async () => {
    const reason = 'There are 5 entries from 1 to 5; the manifest says otherwise'
    for (const change of [{ count: 4 }, { first_seq: 2 }, { last_seq: 6 }])
      await failed(
        saying(manifest => Object.assign(manifest, change)),
        [reason],
      )
  })

  it('says what each file is, and leaves none out', async () => {
    const no = ['README.txt is not the file of the manifest']
    await failed(replaced('README.txt', 'Trust me\n'), no)
    await failed(
      saying(({ files }) => files[0]!.size++),
      no,
    )
    await failed(
      saying(({ files }) => (files[0]!.sha256 = files[1]!.sha256)),
      no,
    )
    await failed(
      saying(({ files }) => files.shift()),
      ['The manifest has no file README.txt'],
    )
    const missing = new Map(whole.files)
    missing.delete('README.txt')
    await failed(missing, ['README.txt is missing'])
    const all = [...whole.files.keys()].filter(name => !name.startsWith('manifest'))
    for (const files of [undefined, 1])
      await failed(
        saying(manifest => Object.assign(manifest, { files })),
        all.map(name => `The manifest has no file ${name}`),
      )
  })

  it('does not make the whole log of a part', async () => {
    const reason = 'This is an export of a part, not of the whole log'
    await failed(part.files, [reason], { whole: true })
    await valid(part.files, { whole: false })
    const { exit, said } = await ask(part.files, { whole: true, old: part.kept[0]! })
    assert.deepEqual([exit, bad(said).map(line => line.split(' ')[0])], [1, ['failed', 'unable']])
    const called = saying(manifest => Object.assign(manifest, { whole: 'true' }), part)
    await failed(called, [reason], { whole: true })
  })
})

describe('an older checkpoint (proves: AUD-04)', () => {
  it('is not gone on from where its entries are others, or fewer', async () => {
    const other = await makeBundle({ log_id, sizes: [5, 2] })
    await failed(whole.files, ['The first 2 entries of epoch 1 are not those of the older checkpoint', missing(2, 1)], {
      old: other.kept[1]!,
    })
    await failed(whole.files, [missing(4, 1)], { old: other.kept[3]! })
    await failed(whole.files, ['The first 1 entries of epoch 2 are not those of the older checkpoint', missing(1, 2)], {
      old: other.kept[5]!,
    })
  })

  const missing = (size: number, epoch: number) =>
    `The log does not have the ${size} entries of the older checkpoint of attest/t/${log_id}/e${epoch}`
})

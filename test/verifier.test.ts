// The verifier that is given away, refusal by refusal: what it says of an export of which one thing is wrong. verifier.python.test.ts
// lets chance change exports, and compares its answers with those of a second implementation.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { crc32, deflateRawSync } from 'node:zlib'
import { keyId, verifierKey } from '../src/modules/audit/note.ts'
import { verifyBundle } from '../verifier/attest-audit-verify.mjs'
import { type Files, type Manifest, makeBundle, public_key, signedAnew, withLines } from './bundles.ts'
import { localEntry, type ZipEntry, zipOf } from './hostile-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-verifier-'))
after(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'bundle.zip')

const log_id = '5b1f8f3c-6f5c-4d52-9f5e-0a3b8f1d2c4e'
const origins = [`attest/t/${log_id}/e1`, `attest/t/${log_id}/e2`] as const
const whole = await makeBundle({ log_id, sizes: [3, 2], redacted: [2] })
const part = await makeBundle({ log_id, sizes: [6, 5], parts: true })
const { vkeys } = whole
const raw = Buffer.from(public_key, 'base64')

type Asked = Partial<Parameters<typeof verifyBundle>[1]>
const entriesOf = (files: Files): ZipEntry[] => [...files].map(([name, content]) => ({ name, content, isStored: true }))
async function ask(bundle: Files | ZipEntry[] | Buffer, asked: Asked = {}) {
  const bytes = Buffer.isBuffer(bundle) ? bundle : zipOf(Array.isArray(bundle) ? bundle : entriesOf(bundle))
  writeFileSync(path, bytes)
  const { exit, lines } = await verifyBundle(path, { vkeys, ...asked })
  return { exit, said: lines.map(({ status, text }) => `${status} ${text}`) }
}
const bad = (said: readonly string[]) => said.filter(line => !line.startsWith('ok '))
/** It is valid. */
async function valid(bundle: Files | ZipEntry[] | Buffer, asked: Asked = {}) {
  const { exit, said } = await ask(bundle, asked)
  assert.deepEqual([exit, bad(said)], [0, []])
}
/** It is not valid, for these reasons and no other. */
async function failed(bundle: Files | ZipEntry[] | Buffer, reasons: string[], asked: Asked = {}) {
  const { exit, said } = await ask(bundle, asked)
  assert.deepEqual([bad(said), exit], [reasons.map(reason => `failed ${reason}`), 1])
}
/** It is neither valid nor not. */
async function unable(bundle: Files | ZipEntry[] | Buffer, reason: string, asked: Asked = {}) {
  const { exit, said } = await ask(bundle, asked)
  assert.deepEqual([bad(said), exit], [[`unable ${reason}`], 2])
}
const lines = (name: string, change: Parameters<typeof withLines>[2], { files } = whole) =>
  signedAnew(withLines(files, name, change))
const line = (name: string, at: number, change: object, bundle = whole) =>
  lines(name, all => all.with(at, { ...all[at], ...change }), bundle)
const replaced = (name: string, content: Buffer | string, { files } = whole) =>
  new Map(files).set(name, Buffer.from(content as string))
const entry = (name: string, change: Partial<ZipEntry>) =>
  entriesOf(whole.files).map(each => (each.name === name ? { ...each, ...change } : each))

describe('a valid export (proves: AUD-03, AUD-04)', () => {
  it('is told of in full: of the whole log', async () => {
    const { exit, said } = await ask(whole.files, { old: whole.kept[1]!, whole: true })
    assert.equal(exit, 0)
    assert.deepEqual(said, [
      `ok checkpoint of ${origins[0]}: 3 entries, signed`,
      `ok checkpoint of ${origins[1]}: 2 entries, signed`,
      'ok manifest.json is signed',
      'ok 5 entries from 1 to 5: leaf and commitments of each',
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
      'ok 4 entries from 1 to 10: leaf and commitments of each',
      'ok each is in the tree of its checkpoint (inclusion proofs); the filter is {"action":"document.created"}',
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
    assert.deepEqual([exit, said[3]], [0, 'ok 0 entries: leaf and commitments of each'])
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

describe('a file of an export', () => {
  it('is of objects, a line each, and each line ends', async () => {
    const text = whole.files.get('entries.jsonl')!.toString()
    await failed(replaced('entries.jsonl', text.slice(0, -1)), ['entries.jsonl does not end with a line'])
    await failed(replaced('entries.jsonl', text.replace('\n', '\n[]\n')), ['entries.jsonl, line 2 is no JSON object'])
    await failed(replaced('entries.jsonl', `\n${text}`), ['entries.jsonl, line 1 is no JSON object'])
    const not = Buffer.concat([Buffer.from(text.slice(0, 10)), Buffer.of(0xff), Buffer.from(text.slice(10))])
    await failed(replaced('entries.jsonl', not), ['entries.jsonl is not UTF-8'])
  })

  it('may be longer than what is read at a time', async () => {
    const { files, vkeys } = await makeBundle({ sizes: [400] })
    assert.ok(files.get('entries.jsonl')!.length > 2 * 65_536)
    for (const isStored of [true, false])
      await valid(
        entriesOf(files).map(each => ({ ...each, isStored })),
        { vkeys },
      )
  })

  it('has no line and no content that fills memory', async () => {
    const long = 'entries.jsonl has a line of more than 16000000 bytes'
    await unable(replaced('entries.jsonl', Buffer.alloc(16_000_001, 'x')), long)
    await failed(replaced('entries.jsonl', Buffer.alloc(16_000_000, 'x')), ['entries.jsonl does not end with a line'])
    await unable(replaced('manifest.json', Buffer.alloc(1_000_001, ' ')), 'manifest.json is too large')
    await failed(replaced('manifest.json', Buffer.alloc(1_000_000, ' ')), ['manifest.json is no JSON object'])
  })

  it('may be compressed, as a log is and no more', async () => {
    await valid(entriesOf(whole.files).map(each => ({ ...each, isStored: false })))
    const packed = deflateRawSync(Buffer.alloc(100))
    const most = 1_000_000 + packed.length * 200
    const claiming = (claimed: number) => entry('details.jsonl', { packed, claimed, isStored: false })
    await unable(claiming(most + 1), 'details.jsonl would unpack to more than a log does')
    await failed(claiming(most), ['details.jsonl is not what the zip says of it'])
  })

  it('is what the zip says of it', async () => {
    const no = ['entries.jsonl is not what the zip says of it']
    const content = whole.files.get('entries.jsonl')!
    await failed(entry('entries.jsonl', { crc: 1 }), no)
    await failed(entry('entries.jsonl', { claimed: content.length + 1 }), no)
    const longer = ['entries.jsonl is longer than the zip says']
    await failed(entry('entries.jsonl', { claimed: content.length - 1 }), longer)
    await failed(entry('entries.jsonl', { claimed: content.length - 1, isStored: false }), longer)
    const packed = deflateRawSync(content)
    for (const cut of [Buffer.alloc(20, 0xff), packed.subarray(0, -9)])
      await failed(entry('entries.jsonl', { packed: cut, isStored: false }), ['entries.jsonl cannot be unpacked'])
  })

  it('has a name that exports have, and no other has it', async () => {
    const more = (name: string) => [...entriesOf(whole.files), { name, content: 'x', isStored: true }]
    for (const name of [
      ...['x/y', '../README.txt', 'README.txt2', 'README_txt', 'xkeys.txt', 'entries.json', 'manifest.txt'],
      ...[
        'checkpoint-e0.txt',
        'checkpoint-e.txt',
        'checkpoint-e12345678901.txt',
        'checkpoint-e1_txt',
        'checkpoint-ex.txt',
      ],
    ])
      await failed(more(name), [`An export has no file ${JSON.stringify(name)}`])
    const long = 'n'.repeat(200)
    await failed(more(long), [`An export has no file ${JSON.stringify(long.slice(100))}`])
    await failed(more('keys.txt'), ['keys.txt is there twice'])
    await failed(more('checkpoint-e1234567890.txt'), ['The manifest has no file checkpoint-e1234567890.txt'])
  })
})

describe('a zip', () => {
  const damaged = 'The directory of this zip is damaged'
  const entries = entriesOf(whole.files)
  const zip = zipOf(entries)
  const list = zip.readUInt32LE(zip.length - 6)
  const written = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(zip)
    change(bytes)
    return bytes
  }

  it('may have a comment, up to the longest', async () => {
    await valid(zipOf(entries, { comment: 'x'.repeat(65_535) }))
    await unable(zipOf(entries, { comment: 'x'.repeat(65_535) }).subarray(1), damaged)
  })

  it('is none without its end', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('PK'), zip.subarray(0, -1), zip.subarray(0, list)])
      await unable(bytes, 'This is no zip')
    await unable(Buffer.alloc(70_000, ' '), 'This is no zip')
    await valid(Buffer.concat([largeZip(entries).bytes, Buffer.alloc(65_515, 'x')]))
  })

  it('is cut off where its directory is not in it', async () => {
    await unable(
      written(bytes => bytes.writeUInt32LE(zip.length, zip.length - 6)),
      'This zip is cut off',
    )
    await unable(
      written(bytes => bytes.writeUInt32LE(zip.length, list + 42)),
      'This zip is cut off',
    )
  })

  it('has no more files than an export has', async () => {
    const many = 'This zip has more files than an export has'
    const count = (files: number) => written(bytes => bytes.writeUInt16LE(files, zip.length - 12))
    await unable(count(1_101), many)
    await unable(count(1_100), damaged)
    await unable(
      written(bytes => bytes.writeUInt32LE(1_000_001, zip.length - 10)),
      many,
    )
    await unable(
      written(bytes => bytes.writeUInt32LE(1_000_000, zip.length - 10)),
      'This zip is cut off',
    )
  })

  it('has a directory that leads to its files, one behind the other', async () => {
    await unable(
      written(bytes => bytes.writeUInt32LE(1, list)),
      damaged,
    )
    await unable(
      written(bytes => bytes.writeUInt32LE(1, 0)),
      damaged,
    )
    await unable(
      written(bytes => bytes.writeUInt16LE(bytes.readUInt16LE(zip.length - 12) + 1, zip.length - 12)),
      damaged,
    )
    const last = entries.length - 1
    const into = entries.with(last, { ...entries[last]!, packed: Buffer.alloc(0), claimed: 5 })
    await failed(into, ['manifest.sig is not what the zip says of it'])
    await unable(
      written(bytes => bytes.writeUInt32LE(list, list + 20)),
      damaged,
    )
    const inside = [
      { ...entries[0]!, content: zipOf([entries[1]!]) },
      { ...entries[1]!, inside: 0 },
      ...entries.slice(2),
    ]
    await unable(inside, 'The files of this zip overlap')
    const { bytes, head_bytes } = localEntry(entries[1]!)
    const headInside = [
      { ...entries[0]!, content: bytes.subarray(0, head_bytes), gap: bytes.subarray(head_bytes) },
      { ...entries[1]!, inside: 0 },
      ...entries.slice(2),
    ]
    await unable(headInside, 'The files of this zip overlap')
    await valid(entries.toReversed())
    const listed: Buffer[] = []
    for (let at = list; at < zip.length - 22; at += listed.at(-1)!.length)
      listed.push(zip.subarray(at, at + 46 + zip.readUInt16LE(at + 28)))
    assert.equal(listed.length, entries.length)
    await valid(Buffer.concat([zip.subarray(0, list), ...listed.toReversed(), zip.subarray(-22)]))
  })

  it('is closed again, whatever was found in it', async () => {
    /** The lowest that is free: what is left open takes it. */
    const nextHandle = () => {
      const handle = openSync(path, 'r')
      closeSync(handle)
      return handle
    }
    await valid(zip)
    const before = nextHandle()
    await valid(zip)
    await failed(replaced('entries.jsonl', 'x\n'), ['entries.jsonl, line 1 is no JSON object'])
    await unable(Buffer.from('PK'), 'This is no zip')
    assert.equal(nextHandle(), before)
  })

  it('may become shorter while it is read', async test => {
    const file = await open(path)
    const prototype: FileHandle = Object.getPrototypeOf(file)
    await file.close()
    const { read } = prototype
    let reads = 0
    test.mock.method(prototype, 'read', function (this: FileHandle, ...asked: Parameters<FileHandle['read']>) {
      reads += 1
      // Behind its end, its directory and the head of each file, what is read is in the files.
      if (reads > 2 + entries.length) truncateSync(path, 0)
      return read.apply(this, asked)
    })
    for (const isStored of [true, false]) {
      reads = 0
      await unable(
        entries.map(each => ({ ...each, isStored })),
        'This zip is cut off',
      )
    }
  })

  it('is packed in a way that is known', async () => {
    const reason = 'keys.txt is encrypted or packed in a way that is not known'
    await unable(entry('keys.txt', { flags: 0x801 }), reason)
    await unable(entry('keys.txt', { method: 12 }), reason)
  })

  it('may be of the large kind, with fields that are not asked for', async () => {
    const { bytes } = largeZip(entries)
    await valid(bytes)
  })

  it('of the large kind is damaged where its fields are not there', async () => {
    const { bytes, record, locator, extra } = largeZip(entries)
    const written = (change: (bytes: Buffer) => void) => {
      const changed = Buffer.from(bytes)
      change(changed)
      return changed
    }
    await unable(
      written(bytes => bytes.writeUInt32LE(1, locator)),
      'This zip has no directory',
    )
    await unable(
      written(bytes => bytes.writeUInt32LE(1, record)),
      'This zip has no directory',
    )
    await unable(
      written(bytes => bytes.writeUInt16LE(2, extra)),
      'This zip is cut off',
    )
    await unable(
      written(bytes => bytes.writeUInt16LE(23, extra + 2)),
      damaged,
    )
    const empty = largeZip(entries, [])
    empty.bytes.writeUInt32LE(0xffffffff, empty.listed + 42)
    await unable(empty.bytes, damaged)
    const few = Buffer.alloc(22)
    few.write('PK\x05\x06', 'latin1')
    few.fill(0xff, 8, 20)
    await unable(few, 'This zip has no directory')
    await unable(Buffer.concat([Buffer.alloc(19), few]), 'This zip has no directory')
  })

  it('of the large kind may have each of its numbers in either place', async () => {
    const all = ['count', 'size', 'start'] as const
    for (const plain of all.flatMap(one => [[one], all.filter(each => each !== one)])) {
      const { bytes, end } = largeZip(entries)
      if (plain.includes('count')) bytes.writeUInt16LE(entries.length, end + 10)
      if (plain.includes('size')) bytes.writeUInt32LE(bytes.readUInt32LE(end - 36), end + 12)
      if (plain.includes('start')) bytes.writeUInt32LE(bytes.readUInt32LE(end - 28), end + 16)
      await valid(bytes)
    }
    for (const wide of [['size'], ['packed'], ['local'], ['size', 'local'], []] as const)
      await valid(largeZip(entries, wide).bytes)
  })
})

/** The same with sizes and places of 64 bits, another field before them, and a comment on each file. */
function largeZip(entries: readonly ZipEntry[], wide: readonly string[] = ['size', 'packed', 'local']) {
  const parts: Buffer[] = []
  const listed: Buffer[] = []
  let at = 0
  for (const { name, content = '' } of entries) {
    const plain = Buffer.from(content as string)
    const header = (length: number) => {
      const bytes = Buffer.alloc(length)
      bytes.writeUInt32LE(crc32(plain), length === 30 ? 14 : 16)
      bytes.fill(0xff, length === 30 ? 18 : 20, length === 30 ? 26 : 28)
      bytes.writeUInt16LE(name.length, length === 30 ? 26 : 28)
      return bytes
    }
    const [local, central, extra] = [header(30), header(46), Buffer.alloc(9 + 8 * wide.length)]
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(7, 28)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(extra.length, 30)
    central.writeUInt16LE(3, 32)
    extra.writeUInt16LE(0x7075, 0)
    extra.writeUInt16LE(1, 2)
    extra.writeUInt16LE(1, 5)
    extra.writeUInt16LE(8 * wide.length, 7)
    const numbers = [
      ...(['size', 'packed'] as const).map((name, n) => ({ name, value: plain.length, place: 24 - 4 * n })),
      { name: 'local', value: at, place: 42 },
    ]
    for (const { name, value, place } of numbers) {
      const index = wide.indexOf(name)
      central.writeUInt32LE(index < 0 ? value : 0xffffffff, place)
      if (index >= 0) extra.writeBigUInt64LE(BigInt(value), 9 + 8 * index)
    }
    listed.push(central, Buffer.from(name), extra, Buffer.from('why'))
    const bytes = Buffer.concat([local, Buffer.from(name), Buffer.alloc(7), plain])
    parts.push(bytes)
    at += bytes.length
  }
  const [record, locator, end] = [Buffer.alloc(56), Buffer.alloc(20), Buffer.alloc(22)]
  const list = Buffer.concat(listed)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(BigInt(entries.length), 32)
  record.writeBigUInt64LE(BigInt(list.length), 40)
  record.writeBigUInt64LE(BigInt(at), 48)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(at + list.length), 8)
  end.write('PK\x05\x06', 'latin1')
  end.fill(0xff, 8, 20)
  const bytes = Buffer.concat([...parts, list, record, locator, end])
  const places = { listed: at, record: at + list.length, locator: at + list.length + 56, end: at + list.length + 76 }
  return { bytes, ...places, extra: at + 46 + entries[0]!.name.length + 5 }
}

describe('the verifier as a program', () => {
  const program = join(import.meta.dirname, '../verifier/attest-audit-verify.mjs')
  const started = [process.argv, process.exitCode] as const
  let runs = 0
  /** In this process, as `node PROGRAM ...` runs it, so that mutation testing sees which of its lines a test runs. */
  async function run(...args: string[]) {
    const printed = { stdout: '', stderr: '' }
    const into = (stream: keyof typeof printed) => (text: string) => {
      printed[stream] += `${text}\n`
    }
    const [log, error] = [mock.method(console, 'log', into('stdout')), mock.method(console, 'error', into('stderr'))]
    try {
      process.argv = [process.execPath, program, ...args]
      await import(`${pathToFileURL(program).href}?run=${++runs}`)
      return { status: process.exitCode, ...printed }
    } finally {
      for (const each of [log, error]) each.mock.restore()
      process.argv = started[0]
      process.exitCode = started[1]
    }
  }
  const [good, part_path, old] = [join(folder, 'good.zip'), join(folder, 'part.zip'), join(folder, 'old.txt')]
  writeFileSync(good, zipOf(entriesOf(whole.files)))
  writeFileSync(part_path, zipOf(entriesOf(part.files)))
  writeFileSync(old, whole.kept[1]!)
  const keys = vkeys.flatMap(each => ['--vkey', each])

  it('prints a line for each thing that it checked, and the result', async () => {
    const { status, stdout, stderr } = await run(good, ...keys, '--old', old, '--whole')
    assert.deepEqual([status, stderr], [0, ''])
    const printed = stdout.split('\n')
    assert.equal(printed[0], `ok      checkpoint of ${origins[0]}: 3 entries, signed`)
    assert.match(stdout, /^ok {6}it goes on from the older checkpoint of 2 entries/m)
    assert.deepEqual(printed.slice(-2), ['VALID', ''])
  })

  it('says what is not valid, and what it cannot check', async () => {
    const partly = await run(part_path, ...keys, '--whole')
    assert.equal(partly.status, 1)
    assert.match(partly.stdout, /^FAILED {2}This is an export of a part, not of the whole log$/m)
    assert.match(partly.stdout, /\nNOT VALID\n$/)
    const keyless = await run(good)
    assert.deepEqual(keyless, {
      status: 2,
      stdout: '??      No key was given: --vkey\nCOULD NOT BE CHECKED\n',
      stderr: '',
    })
  })

  it('prints nothing that moves a cursor', async () => {
    const { stdout } = await run(good, '--vkey', 'a\x1b[2J\x7f\u0080ü–b')
    assert.equal(stdout, '??      This is no verifier key of Ed25519: a?[2J??ü–b\nCOULD NOT BE CHECKED\n')
  })

  it('runs by the name that a package gives it, and not where another program uses it', () => {
    const link = join(folder, 'attest-audit-verify')
    symlinkSync(program, link)
    const linked = spawnSync(process.execPath, [link, good, ...keys], { encoding: 'utf8' })
    assert.deepEqual([linked.status, linked.stderr], [0, ''])
    assert.match(linked.stdout, /\nVALID\n$/)
    const using = `import { verifyBundle } from ${JSON.stringify(program)}; console.log(typeof verifyBundle)`
    const used = spawnSync(process.execPath, ['--input-type=module', '-e', using], { encoding: 'utf8' })
    assert.deepEqual([used.status, used.stdout, used.stderr], [0, 'function\n', ''])
  })

  it('says how it is used where it is used otherwise', async () => {
    const usage = 'node attest-audit-verify.mjs BUNDLE.zip --vkey KEY [--vkey KEY] [--old CHECKPOINT-FILE] [--whole]\n'
    for (const args of [[], [good, good]])
      assert.deepEqual(await run(...args), {
        status: 2,
        stdout: '',
        stderr: `One export is checked at a time\n${usage}`,
      })
    const missing = await run(good, ...keys, '--old', join(folder, 'none'))
    assert.equal(missing.status, 2)
    assert.match(missing.stderr, /^ENOENT/)
    assert.ok(missing.stderr.endsWith(`\n${usage}`))
  })
})

function withLeaf(at: number): string {
  return JSON.parse(whole.files.get('entries.jsonl')!.toString().split('\n')[at]!).leaf
}

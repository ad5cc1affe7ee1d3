// Each call of an upload to the file system fails in turn, once as a disk that cannot read or write and once as one that is full: the
// answer is true, and nothing is half done.
import assert from 'node:assert/strict'
import callbacks from 'node:fs'
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, describe, it } from 'node:test'
import { sweep } from '#modules/storage'
import { office } from '#test/faults/hostile-files.ts'
import { filesBelow } from '#test/world/stored-files.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: calls of every shape
type Call = (...given: any[]) => Promise<any>
const ofModule = ['open', 'mkdir', 'link', 'rm', 'unlink', 'stat', 'readFile', 'utimes'] as const
const ofHandle = ['writeFile', 'sync', 'close', 'read', 'stat'] as const
/** The functions of node:fs with a callback that archives and streams are read by: those of a file that `open` has opened. */
const ofDescriptor = ['read', 'fstat', 'close'] as const

/** Counts the calls of node:fs and of its promises below a folder, and lets one of them fail without having been made. */
function interceptBelow(folder: string) {
  const state = { calls: [] as string[], fails: 0, code: '' }
  const undo: (() => void)[] = []
  const pass = (name: string) => {
    state.calls.push(name)
    if (state.calls.length === state.fails)
      throw Object.assign(new Error(`${state.code}: made to fail, ${name}`), { code: state.code, syscall: name })
  }
  const watch = (handle: FileHandle) => {
    for (const name of ofHandle) {
      const original = (handle[name] as Call).bind(handle)
      const replaced: Call = async (...given) => {
        // A failed close closes the file all the same, as the system does it.
        if (name === 'close') await original()
        pass(`handle.${name}`)
        if (name !== 'close') return original(...given)
      }
      Object.assign(handle, { [name]: replaced })
    }
    return handle
  }
  for (const name of ofModule) {
    const original = fs[name] as Call
    const replaced: Call = async (path, ...rest) => {
      if (typeof path !== 'string' || !path.startsWith(folder)) return original(path, ...rest)
      pass(name)
      const result = await original(path, ...rest)
      return name === 'open' ? watch(result) : result
    }
    Object.assign(fs, { [name]: replaced })
    undo.push(() => void Object.assign(fs, { [name]: original }))
  }
  const failing = (name: string) => {
    try {
      pass(name)
    } catch (error) {
      return error
    }
  }
  const descriptors = new Set<number>()
  const byCallback = (name: 'open' | (typeof ofDescriptor)[number], isOurs: (first: never) => boolean) => {
    const original = callbacks[name] as (...given: unknown[]) => void
    const replaced = (...given: unknown[]) => {
      if (!isOurs(given[0] as never)) return original(...given)
      const answer = given.pop() as (error: unknown, result?: unknown) => void
      const error = failing(`callback ${name}`)
      if (name === 'close') descriptors.delete(given[0] as number)
      // A failed close closes the file all the same here too.
      if (error && name !== 'close') return void setImmediate(answer, error)
      original(...given, (own: unknown, result: number, ...more: []) => {
        if (!own && name === 'open') descriptors.add(result)
        answer(error ?? own, result, ...more)
      })
    }
    Object.assign(callbacks, { [name]: replaced })
    undo.push(() => void Object.assign(callbacks, { [name]: original }))
  }
  byCallback('open', (path: unknown) => typeof path === 'string' && path.startsWith(folder))
  for (const name of ofDescriptor) byCallback(name, (descriptor: number) => descriptors.has(descriptor))
  syncBuiltinESMExports()
  return {
    calls: () => state.calls,
    arm(fails: number, code: string) {
      Object.assign(state, { calls: [], fails, code })
    },
    restore() {
      for (const each of undo) each()
      syncBuiltinESMExports()
    },
  }
}

const word = (title: string) =>
  office('docx', { name: 'docProps/app.xml', content: `<?xml version="1.0"?><title>${title}</title>` })
for (const [code, ending, file] of [
  ['EIO', 'pdf', pdf],
  ['ENOSPC', 'pdf', pdf],
  ['EIO', 'docx', word],
] as const) {
  describe(`an upload of a ${ending} of which a call to the file system fails with ${code}`, () => {
    let world: World
    before(async () => {
      world = await openWorld()
    })
    after(() => world.close())

    it('is answered as what became of it, whichever call that is, and leaves nothing but what the sweep takes', async t => {
      const folder = world.services.config.upload_dir
      const document_type = await world.typeId('SOP')
      const upload = (title: string) =>
        world
          .as('alan')
          .upload('/api/documents/upload', { title, document_type }, { bytes: file(title), name: `a.${ending}` })
      const rows = () =>
        world.rows<{ title: string; key: string }>('select title, file_key as key from document_versions')
      const acknowledged: string[] = []
      const failed: string[] = []
      const disk = interceptBelow(folder)
      try {
        for (let call = 1; ; call++) {
          const title = `Call ${call}`
          disk.arm(call, code)
          const reply = await upload(title)
          const calls = disk.calls()
          if (reply.statusCode === 201) acknowledged.push(title)
          else {
            const told = `${calls[call - 1]}: ${reply.body}`
            assert.equal(reply.statusCode, 503, told)
            assert.match(reply.json().detail, /^The file storage does not work at the moment/, told)
            assert.equal(reply.json().request_id, reply.headers['x-request-id'])
            failed.push(calls[call - 1]!)
          }
          if (calls.length < call) break
        }
      } finally {
        disk.restore()
      }
      assert.ok(failed.length >= 8, failed.join())
      assert.deepEqual((await rows()).map(({ title }) => title).sort(), acknowledged.toSorted())
      for (const { key } of await rows()) assert.ok(filesBelow(folder).includes(key))
      t.diagnostic(
        `${failed.length} calls failed the upload (${failed.join(', ')}), ${acknowledged.length - 1} did not`,
      )

      world.clock.moved_ms = 25 * 3_600_000
      assert.equal((await world.round(sweep.schedule)).failed, 0)
      assert.deepEqual(filesBelow(folder), (await rows()).map(({ key }) => key).sort())
    })
  })
}

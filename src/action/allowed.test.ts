import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError, conflict, forbidden, invalidField } from '#kernel/errors.ts'
import { messages } from '#kernel/messages.ts'
import { allowedActs } from './allowed.ts'

const missing = forbidden(messages.permission_required({ permission: 'documents.read' }))
const taken = conflict(messages.not_found({ kind: 'Document' }))
const refuse = (error: unknown) => () => {
  throw error
}

describe('the acts that a person may take', () => {
  it('are told with every reason against the others, whether a condition decides at once or has to read first', async () => {
    const { may, why_not } = await allowedActs({
      update: [() => undefined, async () => undefined],
      close: [refuse(missing), async () => refuse(taken)(), refuse(missing)],
      comment: [refuse(invalidField('text', messages.not_found({ kind: 'Text' })))],
    })
    assert.deepEqual(may, ['update', 'comment'])
    assert.deepEqual(
      why_not.close!.map(({ code }) => code),
      [missing.code, taken.code],
    )
  })

  it('are found by looking once at each condition that they share', async () => {
    let looks = 0
    const shared = async () => {
      looks += 1
      throw missing
    }
    const { may, why_not } = await allowedActs({ attach: [shared], link: [() => undefined, shared], comment: [] })
    assert.equal(looks, 1)
    assert.deepEqual(may, ['comment'])
    assert.deepEqual(
      [why_not.attach, why_not.link].map(all => all!.map(({ code }) => code)),
      [[missing.code], [missing.code]],
    )
  })

  it('are not told where a condition fails by a fault of the program', async () => {
    for (const check of [refuse(new RangeError('broken')), async () => refuse(new RangeError('broken'))()])
      await assert.rejects(allowedActs({ update: [check] }), RangeError)
  })
})

describe('a refusal', () => {
  it('collects no stack, and errors after it do', () => {
    const refusal = conflict(messages.not_found({ kind: 'Document' }))
    assert.ok(refusal instanceof AppError)
    assert.doesNotMatch(refusal.stack ?? '', /\n\s+at /)
    assert.match(new Error('later').stack!, /\n\s+at /)
  })
})

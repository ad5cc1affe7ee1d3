import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pageOf } from './paging.ts'

describe('a page of a list (proves: SVC-04)', () => {
  it('says how many there are in all, and counts them only where it does not show the end', async () => {
    for (let total = 0; total <= 12; total++) {
      const all = Array.from({ length: total }, (_, index) => index)
      for (let page_size = 1; page_size <= 5; page_size++) {
        for (let page = 1; page <= 14; page++) {
          let counted = 0
          const answer = await pageOf(
            { page, page_size },
            async (limit, offset) => all.slice(offset, offset + limit),
            async () => {
              counted++
              return total
            },
          )
          const items = all.slice((page - 1) * page_size, page * page_size)
          assert.deepEqual(answer, { items, page, page_size, total, pages: Math.ceil(total / page_size) })
          const showsEnd = items.length < page_size && (items.length > 0 || page === 1)
          assert.equal(counted, showsEnd ? 0 : 1)
        }
      }
    }
  })
})

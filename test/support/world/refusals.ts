import assert from 'node:assert/strict'
import { catalogues } from '../../../tools/docs/catalogues.ts'

const documented = new Set(catalogues.map(({ code }) => code))

interface Refusal {
  detail: string | { loc: unknown[]; msg: unknown; type: string; params: unknown }[]
  code: string
  params: unknown
}

/** Each code in the body of a refusal that docs/messages.md does not have. */
export function undocumentedCodesIn(body: string): string[] {
  const { detail, code } = JSON.parse(body) as Refusal
  const codes = Array.isArray(detail) ? [code, ...detail.map(({ type }) => type)] : [code]
  return codes.filter(each => !documented.has(each)).map(each => JSON.stringify(each) ?? 'none')
}

/** ERR-01: a refusal has one shape, and codes that are documented. */
export function checkRefusal(status: number, body: string, what: string) {
  const parsed = JSON.parse(body) as Refusal
  assert.deepEqual(Object.keys(parsed), ['detail', 'code', 'params'], `${what}: ${body}`)
  assert.deepEqual(undocumentedCodesIn(body), [], `${what}: ${body}`)
  assert.ok(isObject(parsed.params), `${what}: ${body}`)
  const { detail } = parsed
  if (status !== 422) {
    assert.equal(typeof detail, 'string', `${what}: ${body}`)
    return
  }
  assert.ok(Array.isArray(detail) && detail.length > 0, `${what}: ${body}`)
  for (const issue of detail) {
    assert.deepEqual(Object.keys(issue).sort(), ['loc', 'msg', 'params', 'type'], `${what}: ${body}`)
    const steps = [issue.msg, issue.type, ...issue.loc]
    assert.ok(
      isObject(issue.params) && steps.every(each => typeof each === 'string' || Number.isInteger(each)),
      `${what}: ${body}`,
    )
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

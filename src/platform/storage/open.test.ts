import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { ConfigError, readConfig } from '../config.ts'

const SECRET_KEY = 'f0d1c2b3a495867718293a4b5c6d7e8f-storage'
const read = (variables: Record<string, string>) => readConfig({ SECRET_KEY, ...variables }).storage
const linesOf = (variables: Record<string, string>) => {
  try {
    read(variables)
  } catch (error) {
    if (error instanceof ConfigError) return error.lines
    throw error
  }
  return []
}

describe('the configuration of the storage', () => {
  it('is the local folder where nothing is said, whatever the other stores would need (proves: OPS-02)', () => {
    assert.deepEqual(read({}), { type: 'local' })
    assert.deepEqual(read({ STORAGE_TYPE: '', S3_BUCKET: '', S3_ENDPOINT: 'nonsense' }), { type: 'local' })
  })

  it('takes a store of AWS, and one elsewhere', () => {
    const login = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }
    const common = { type: 's3', bucket: 'sops', access_key_id: 'id', secret_access_key: 'secret' }
    assert.deepEqual(read({ STORAGE_TYPE: 's3', S3_BUCKET: 'sops', S3_REGION: 'eu-central-1', ...login }), {
      ...common,
      region: 'eu-central-1',
      endpoint: undefined,
    })
    const endpoint = 'https://objects.example'
    assert.deepEqual(read({ STORAGE_TYPE: 's3', S3_BUCKET: 'sops', S3_ENDPOINT: endpoint, ...login }), {
      ...common,
      region: 'us-east-1',
      endpoint,
    })
  })

  it('takes a bucket of Google', () => {
    assert.deepEqual(read({ STORAGE_TYPE: 'gcp', GCP_BUCKET: 'sops', GCP_PROJECT: 'quality' }), {
      type: 'gcp',
      bucket: 'sops',
      project: 'quality',
      api_endpoint: undefined,
    })
  })

  it('says in a line each what is missing or wrong, and never a secret (proves: OPS-02)', () => {
    assert.deepEqual(linesOf({ STORAGE_TYPE: 'ftp' }), ['STORAGE_TYPE is "ftp": it must be one of local, s3, gcp'])
    assert.deepEqual(linesOf({ STORAGE_TYPE: 's3' }), [
      'S3_BUCKET is not set: STORAGE_TYPE=s3 needs it',
      'S3_REGION is not set: STORAGE_TYPE=s3 needs it',
      'S3_ACCESS_KEY_ID is not set: STORAGE_TYPE=s3 needs it',
      'S3_SECRET_ACCESS_KEY is not set: STORAGE_TYPE=s3 needs it',
    ])
    const s3 = { STORAGE_TYPE: 's3', S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' }
    assert.deepEqual(linesOf({ ...s3, S3_ENDPOINT: 'objects.example' }), [
      'S3_ENDPOINT is not an http:// or https:// URL',
    ])
    assert.deepEqual(linesOf({ ...s3, S3_ENDPOINT: 'https://user:hidden@objects.example' }), [
      'S3_ENDPOINT must not hold a user name or a password',
    ])
    assert.deepEqual(
      linesOf({
        STORAGE_TYPE: 'gcp',
        GCP_API_ENDPOINT: 'ftp://x',
        GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/key.json',
      }),
      [
        'GOOGLE_APPLICATION_CREDENTIALS names a file that is not there',
        'GCP_BUCKET is not set: STORAGE_TYPE=gcp needs it',
        'GCP_API_ENDPOINT is not an http:// or https:// URL',
      ],
    )
  })
})

describe('a storage that is opened', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-open-test-'))
  after(() => rmSync(folder, { recursive: true }))

  it('loads the library of no other kind', () => {
    const program = `
      import { registerHooks } from 'node:module'
      const found = new Set()
      registerHooks({
        resolve(specifier, context, next) {
          const resolved = next(specifier, context)
          const name = /node_modules\\/(@aws-sdk|@google-cloud)\\//.exec(resolved.url)?.[1]
          if (name) found.add(name)
          return resolved
        },
      })
      const { openStorage } = await import(${JSON.stringify(new URL('./open.ts', import.meta.url))})
      await openStorage({ storage: JSON.parse(process.argv[1]), upload_dir: process.argv[2] })
      console.log([...found].join())`
    const login = { access_key_id: 'i', secret_access_key: 's' }
    for (const [storage, expected] of [
      [{ type: 'local' }, ''],
      [{ type: 's3', bucket: 'b', region: 'r', ...login }, '@aws-sdk'],
      [{ type: 'gcp', bucket: 'b' }, '@google-cloud'],
    ] as const) {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '-e', program, JSON.stringify(storage), folder],
        { encoding: 'utf8' },
      )
      assert.equal(stdout, `${expected}\n`, stderr)
    }
  })
})

import { existsSync } from 'node:fs'
import type { Variables } from './variables.ts'

export type StorageConfig = { type: 'local' } | S3Config | GcpConfig

export interface S3Config {
  type: 's3'
  bucket: string
  region: string
  /** Undefined for that of AWS in the region. */
  endpoint: string | undefined
  access_key_id: string
  secret_access_key: string
}

export interface GcpConfig {
  type: 'gcp'
  bucket: string
  project: string | undefined
  /** Undefined for Google's own. */
  api_endpoint: string | undefined
}

export function readStorage({ text, oneOf, endpoint, wrong }: Variables): StorageConfig {
  const type = oneOf('STORAGE_TYPE', ['local', 's3', 'gcp'], 'local')
  const needed = (name: string) => {
    const value = text(name)
    if (value === undefined) wrong.push(`${name} is not set: STORAGE_TYPE=${type} needs it`)
    return value ?? ''
  }
  if (type === 's3') {
    const s3_endpoint = endpoint('S3_ENDPOINT')
    return {
      type,
      bucket: needed('S3_BUCKET'),
      // Stores other than AWS have one region, whose usual name this is.
      region: s3_endpoint ? (text('S3_REGION') ?? 'us-east-1') : needed('S3_REGION'),
      endpoint: s3_endpoint,
      access_key_id: needed('S3_ACCESS_KEY_ID'),
      secret_access_key: needed('S3_SECRET_ACCESS_KEY'),
    }
  }
  if (type === 'gcp') {
    // The library reads it itself, and would fail only at the first file.
    const credentials = text('GOOGLE_APPLICATION_CREDENTIALS')
    if (credentials && !existsSync(credentials))
      wrong.push('GOOGLE_APPLICATION_CREDENTIALS names a file that is not there')
    return {
      type,
      bucket: needed('GCP_BUCKET'),
      project: text('GCP_PROJECT'),
      api_endpoint: endpoint('GCP_API_ENDPOINT'),
    }
  }
  return { type: 'local' }
}

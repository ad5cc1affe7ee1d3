// Finds what a cluster or compose would refuse in deploy/, without either: by the types of the Kubernetes API, and a schema.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'

const root = join(import.meta.dirname, '../../..')

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
}

/** `networking.k8s.io/v1` is `networking/v1` in kubernetes-types, and `v1` alone is `core/v1`. */
const moduleOf = (apiVersion: string) => {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  return join(root, 'node_modules/kubernetes-types', group!.split('.')[0]!, version!)
}

/**
 * The compiler's errors in manifests that are written as constants of the types of their kinds: unknown fields, missing ones and wrong
 * types, which a cluster refuses or, worse, ignores.
 */
export function manifestErrors(manifests: Manifest[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'attest-manifests-'))
  try {
    const lines = manifests.map(
      (manifest, n) =>
        `export const m${n}: import(${JSON.stringify(moduleOf(manifest.apiVersion))}).${manifest.kind} = ${JSON.stringify(manifest, null, 1)}`,
    )
    const file = join(folder, 'manifests.ts')
    writeFileSync(file, `${lines.join('\n')}\n`)
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'esnext', '--module', 'esnext']
    const { stdout, error } = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      ['--ignoreConfig', ...options, '--moduleResolution', 'bundler', '--types', '', file],
      { cwd: folder, encoding: 'utf8' },
    )
    if (error) throw error
    return stdout.split('\n').filter(line => line.includes('error TS'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text, minItems: 1 }
const variables = { type: 'object', additionalProperties: { type: 'string' } }
const duration = { type: 'string', pattern: '^([0-9]+(h|m|s))+$' }
const size = { type: 'string', pattern: '^[0-9]+[bkmg]$' }

/** The part of the Compose specification that compose.yaml uses; what it does not know, it refuses. */
const composeSchema = {
  type: 'object',
  required: ['name', 'services'],
  additionalProperties: false,
  patternProperties: { '^x-': {} },
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' },
    services: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['image'],
        additionalProperties: false,
        properties: {
          image: text,
          build: {
            type: 'object',
            required: ['context'],
            additionalProperties: false,
            properties: { context: text, dockerfile: text, args: variables },
          },
          environment: variables,
          entrypoint: texts,
          command: texts,
          profiles: texts,
          depends_on: {
            type: 'object',
            additionalProperties: {
              type: 'object',
              required: ['condition'],
              additionalProperties: false,
              properties: {
                condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] },
              },
            },
          },
          ports: { type: 'array', items: { type: 'string', pattern: '^[0-9.]+:[0-9]+:[0-9]+$' } },
          volumes: { type: 'array', items: { type: 'string', pattern: '^[^:]+:/[^:]+(:ro)?$' } },
          tmpfs: texts,
          read_only: { type: 'boolean' },
          init: { type: 'boolean' },
          cap_drop: texts,
          security_opt: texts,
          restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
          stop_grace_period: duration,
          mem_limit: size,
          shm_size: size,
          pids_limit: { type: 'integer', minimum: 1 },
          logging: {
            type: 'object',
            required: ['driver', 'options'],
            additionalProperties: false,
            properties: { driver: text, options: variables },
          },
          healthcheck: {
            type: 'object',
            required: ['test'],
            additionalProperties: false,
            properties: {
              test: texts,
              interval: duration,
              timeout: duration,
              start_period: duration,
              retries: { type: 'integer', minimum: 1 },
            },
          },
        },
      },
    },
    networks: { type: 'object' },
    volumes: { type: 'object', additionalProperties: { type: 'null' } },
  },
}

/** The errors that compose would report: unknown keys, wrong values, and names of services and volumes that do not exist. */
export function composeErrors(compose: {
  services: Record<string, { depends_on?: object; volumes?: string[] }>
  volumes: object
}): string[] {
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(composeSchema)
  const found = validate(compose)
    ? []
    : validate.errors!.map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      )
  for (const [name, { depends_on = {}, volumes = [] }] of Object.entries(compose.services)) {
    for (const other of Object.keys(depends_on))
      if (!(other in compose.services)) found.push(`${name} depends on ${other}, which is no service`)
    for (const volume of volumes) {
      const from = volume.split(':')[0]!
      if (!/^[./]/.test(from) && !(from in compose.volumes)) found.push(`${name} mounts ${from}, which is no volume`)
    }
  }
  return found
}

import { readFileSync } from 'node:fs'
import type { Bucket } from '../outbound/object-store/object-store.ts'
import { credentialRule, oneOf, oneWord, plainHttpHosts, SettingsProblem } from './setting-values.ts'

const names = {
  endpoint: 'GATEHOUSE_S3_ENDPOINT',
  bucket: 'GATEHOUSE_S3_BUCKET',
  prefix: 'GATEHOUSE_S3_PREFIX',
  region: 'GATEHOUSE_S3_REGION',
  pathStyle: 'GATEHOUSE_S3_PATH_STYLE',
  keyId: 'GATEHOUSE_S3_ACCESS_KEY_ID',
  secret: 'GATEHOUSE_S3_SECRET_ACCESS_KEY',
}

/** Where packages are kept besides the disk; undefined: nowhere. */
export function objectStore(env: NodeJS.ProcessEnv): Bucket | undefined {
  const endpoint = env[names.endpoint]
  const accessKeyId = secretIn(env, names.keyId)
  const secretAccessKey = secretIn(env, names.secret)
  const bucket = env[names.bucket]
  if (!endpoint && !bucket && !accessKeyId && !secretAccessKey) return undefined
  if (!endpoint || !bucket || !accessKeyId || !secretAccessKey) {
    const needed = [names.endpoint, names.bucket, names.keyId].join(', ')
    throw new SettingsProblem(`${needed} and ${names.secret} are set together or not at all.`)
  }
  const prefix = env[names.prefix] || 'gatehouse'
  if (prefix.length > 200 || !/^\w[\w.-]*(\/\w[\w.-]*)*$/.test(prefix)) {
    throw new SettingsProblem(`${names.prefix} takes letters, digits and . _ - between slashes, like team/gatehouse.`)
  }
  const region = oneWord(env, names.region) ?? 'us-east-1'
  const isPathStyle = oneOf(names.pathStyle, env[names.pathStyle] || 'true', ['true', 'false']) === 'true'
  return { url: urlOf(env, endpoint, bucket, isPathStyle), prefix, region, accessKeyId, secretAccessKey }
}

function urlOf(env: NodeJS.ProcessEnv, endpoint: string, bucket: string, isPathStyle: boolean): string {
  const url = URL.parse(endpoint)
  const isBare = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash
  if (!isBare || url.username || url.password || url.port === '0') {
    throw new SettingsProblem(`${names.endpoint} takes an address like https://s3.eu-central-1.amazonaws.com.`)
  }
  if (!credentialRule(env)(endpoint)) {
    throw new SettingsProblem(`${names.endpoint} has no https: name its host in ${plainHttpHosts}.`)
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new SettingsProblem(`${names.bucket} takes 3 to 63 small letters, digits, dots and hyphens.`)
  }
  return isPathStyle ? `${url.origin}/${bucket}` : `${url.protocol}//${bucket}.${url.host}`
}

/** From the environment, or from a file that it names, as container platforms hand out secrets. */
function secretIn(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const file = env[`${name}_FILE`]
  if (!file) return oneWord(env, name)
  if (env[name]) throw new SettingsProblem(`${name} and ${name}_FILE are not set together.`)
  return oneWord({ [name]: readSecret(`${name}_FILE`, file) }, name)
}

function readSecret(name: string, file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new SettingsProblem(`${name} names a file that cannot be read (${(error as { code?: string }).code}).`)
  }
  if (!text) throw new SettingsProblem(`${name} names a file that is empty.`)
  return text
}

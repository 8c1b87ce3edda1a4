import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import type { CredentialRule } from '../../outbound/ssrf-guard/plain-http.ts'
import type { EcosystemName, PackageManagerConfigForInsert, RegistryType, RepositoryType } from './contract.ts'
import { type CredentialKind, kindsFor, kindsIn, shapeProblems } from './credential-kinds.ts'
import { originOf, urlProblem } from './registry-url.ts'

export type ConfigFields = {
  name: string
  url: string
  registryType: RegistryType
  ecosystem: EcosystemName | ''
  requiresAuth: boolean
  useNetworkBroker: boolean
  repositoryType: RepositoryType
  npmScope: string | null
  /** Null where no credentials are stored. */
  credentialsKind: CredentialKind | null
}

export type Merged = { fields: ConfigFields; credentials: 'keep' | 'drop' | 'replace' }

/** An entry of which nothing has been said yet. */
export const blank: ConfigFields = {
  name: '',
  url: '',
  registryType: 'REGISTRY_TYPE_PACKAGE_MANAGER_AUTH',
  ecosystem: '',
  requiresAuth: false,
  useNetworkBroker: false,
  repositoryType: 'MAVEN_REPOSITORY_TYPE_UNSPECIFIED',
  npmScope: null,
  credentialsKind: null,
}

const at = '/packageManagerConfigForInsert'

/** What an entry becomes by a request; what that leaves out stays. Throws a Fault with everything that does not fit. */
export function mergeConfig(
  stored: ConfigFields,
  sent: PackageManagerConfigForInsert,
  mayCarryCredentials: CredentialRule,
): Merged {
  const merged = merge(stored, sent)
  const errors = [
    ...shapeProblems(sent, at),
    ...registryProblems(merged.fields),
    ...additionalProblems(merged.fields),
    ...credentialProblems(stored, merged, sent),
  ]
  if (errors.length === 0) errors.push(...encryptionProblems(stored, merged, mayCarryCredentials))
  if (errors.length === 0) return merged
  throw new Fault('unprocessable', 'The config does not fit together; errors says where. Nothing was changed.', {
    errors,
  })
}

function merge(stored: ConfigFields, sent: PackageManagerConfigForInsert): Merged {
  const { additionalConfig: more, ...config } = sent.config ?? {}
  const [kind] = kindsIn(sent)
  const registryType = config.registryType ?? stored.registryType
  const ecosystem = config.ecosystem ?? (isFirewall(registryType) ? '' : stored.ecosystem)
  // They belong to the ecosystem and go with it.
  const { repositoryType, npmScope } = ecosystem === stored.ecosystem ? stored : blank
  const requiresAuth = config.requiresAuth ?? (kind ? true : stored.requiresAuth)
  const credentials = kind ? 'replace' : requiresAuth ? 'keep' : 'drop'
  const fields = {
    name: config.name ?? stored.name,
    url: config.url ?? stored.url,
    registryType,
    ecosystem,
    requiresAuth,
    useNetworkBroker: config.useNetworkBroker ?? stored.useNetworkBroker,
    repositoryType: more?.maven?.repositoryType ?? repositoryType,
    npmScope: more?.npm?.scope === undefined ? npmScope : more.npm.scope,
    credentialsKind: kind ?? (requiresAuth ? stored.credentialsKind : null),
  }
  return { fields, credentials }
}

function registryProblems({ registryType, url, ecosystem, requiresAuth }: ConfigFields): FieldError[] {
  const errors: FieldError[] = []
  const problem = urlProblem(registryType, url)
  if (problem) errors.push({ pointer: `${at}/config/url`, detail: problem })
  if (!isFirewall(registryType)) {
    if (ecosystem === '') errors.push({ pointer: `${at}/config/ecosystem`, detail: 'is required for a registry' })
    return errors
  }
  if (ecosystem !== '') {
    errors.push({ pointer: `${at}/config/ecosystem`, detail: 'must be left out for the malware firewall' })
  }
  if (requiresAuth)
    errors.push({ pointer: `${at}/config/requiresAuth`, detail: 'must be false for the malware firewall' })
  return errors
}

/** Empty values fit everywhere, so that an answer can be sent back as it came. */
function additionalProblems({ ecosystem, repositoryType, npmScope }: ConfigFields): FieldError[] {
  const errors: FieldError[] = []
  const notFor = (owner: string) => `is for ${owner}, not for '${ecosystem}'`
  if (ecosystem !== 'maven' && repositoryType !== blank.repositoryType) {
    errors.push({ pointer: `${at}/config/additionalConfig/maven/repositoryType`, detail: notFor('maven') })
  }
  if (ecosystem !== 'npm' && npmScope !== null) {
    errors.push({ pointer: `${at}/config/additionalConfig/npm/scope`, detail: notFor('npm') })
  }
  return errors
}

function credentialProblems(stored: ConfigFields, merged: Merged, sent: PackageManagerConfigForInsert): FieldError[] {
  const { ecosystem, url, registryType } = merged.fields
  const fitting = kindsFor(ecosystem)
  const errors: FieldError[] = []
  for (const kind of kindsIn(sent)) {
    const takes = fitting.length > 0 ? `takes ${fitting.join(' or ')}` : 'takes no credentials'
    const who = isFirewall(registryType) ? 'the malware firewall' : `the ecosystem '${ecosystem}'`
    if (!fitting.includes(kind)) errors.push({ pointer: `${at}/${kind}`, detail: `does not fit: ${who} ${takes}` })
  }
  if (kindsIn(sent).length > 0 && sent.config?.requiresAuth === false) {
    errors.push({ pointer: `${at}/config/requiresAuth`, detail: 'must not be false where credentials are sent' })
  }
  if (merged.credentials !== 'keep' || !stored.credentialsKind) return errors
  const advice = 'send credentials again, or requiresAuth false to drop them'
  if (ecosystem !== '' && !fitting.includes(stored.credentialsKind)) {
    const detail = `the stored credentials are of the kind ${stored.credentialsKind} and do not fit; ${advice}`
    errors.push({ pointer: `${at}/config/ecosystem`, detail })
  }
  // Otherwise a stored secret could be pointed at somebody else's server.
  if (!urlProblem(registryType, url) && !isFirewall(registryType) && originOf(url) !== originOf(stored.url)) {
    const detail = `the stored credentials are for ${originOf(stored.url)}; ${advice}`
    errors.push({ pointer: `${at}/config/url`, detail })
  }
  return errors
}

/** Whoever is on the way would read them. What was entered before stays as it is; it is not used. */
function encryptionProblems(stored: ConfigFields, { fields, credentials }: Merged, may: CredentialRule): FieldError[] {
  const isNew = credentials === 'replace' || fields.url !== stored.url
  if (fields.credentialsKind === null || !isNew || may(fields.url)) return []
  const detail =
    'must be https where credentials are stored, unless the operator names the host in GATEHOUSE_PLAIN_HTTP_HOSTS'
  return [{ pointer: `${at}/config/url`, detail }]
}

function isFirewall(type: RegistryType): boolean {
  return type === 'REGISTRY_TYPE_MALWARE_FIREWALL'
}

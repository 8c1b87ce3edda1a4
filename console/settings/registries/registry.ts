import type {
  EcosystemName,
  NewPackageManagerConfig,
  RepositoryType,
} from '../../../src/capabilities/package-managers/contract.ts'

export const ecosystems: readonly EcosystemName[] = [
  'npm',
  'pypi',
  'maven',
  'gomod',
  'cargo',
  'gem',
  'nuget',
  'composer',
  'pub',
  'swiftpm',
  'hex',
  'cocoapods',
  'mix',
  'opam',
  'no_package_manager',
]

/** Ecosystems whose packages CodeArtifact holds. */
const atAws: readonly string[] = ['npm', 'pypi', 'maven', 'nuget', 'gem', 'cargo', 'swiftpm'] satisfies EcosystemName[]

/** How one signs in to registries of an ecosystem. */
export type CredentialKind = 'none' | 'login' | 'token' | 'role'

export type RegistryForm = {
  name: string
  url: string
  purpose: 'credentials' | 'firewall'
  ecosystem: EcosystemName | ''
  broker: boolean
  repositoryType: RepositoryType
  scope: string
  kind: CredentialKind
  username: string
  password: string
  token: string
  role: string
}

export function kindsFor(ecosystem: string): { value: CredentialKind; label: string }[] {
  const none = { value: 'none', label: 'None' } as const
  const login = { value: 'login', label: 'User name and password' } as const
  const token = { value: 'token', label: 'Access token' } as const
  const role = { value: 'role', label: 'Role at AWS (CodeArtifact)' } as const
  if (ecosystem === 'npm' || ecosystem === 'cargo') return [none, token, login, role]
  if (ecosystem === 'gomod') return [none, token, login]
  if (ecosystem === 'maven' || ecosystem === 'pypi') return [none, login, role]
  return atAws.includes(ecosystem) ? [none, role] : [none]
}

/** Another scheme, host or port: credentials go along only if they are sent again. */
export function isOtherOrigin(before: string, now: string): boolean {
  try {
    return new URL(before).origin !== new URL(now).origin
  } catch {
    return before !== now
  }
}

type Credentials = Pick<NewPackageManagerConfig, 'maven' | 'pypi' | 'npm' | 'codeArtifact'>

function credentialsOf(form: RegistryForm): Credentials {
  const login = { username: form.username, password: form.password }
  if (form.kind === 'role') return { codeArtifact: { assumeRoleArn: form.role } }
  if (form.kind === 'token') return { npm: { token: form.token } }
  if (form.kind !== 'login') return {}
  if (form.ecosystem === 'maven') return { maven: login }
  return form.ecosystem === 'pypi' ? { pypi: login } : { npm: { basicAuth: login } }
}

/** What the API takes. With `keep` the stored credentials stay as they are. */
export function registryBody(form: RegistryForm, keep: boolean): NewPackageManagerConfig {
  const firewall = form.purpose === 'firewall'
  const config = {
    name: form.name,
    url: form.url,
    registryType: firewall
      ? ('REGISTRY_TYPE_MALWARE_FIREWALL' as const)
      : ('REGISTRY_TYPE_PACKAGE_MANAGER_AUTH' as const),
    ecosystem: firewall ? ('' as const) : form.ecosystem,
    useNetworkBroker: form.broker,
    ...(keep ? {} : { requiresAuth: !firewall && form.kind !== 'none' }),
    additionalConfig: {
      ...(form.ecosystem === 'maven' && !firewall && { maven: { repositoryType: form.repositoryType } }),
      ...(form.ecosystem === 'npm' && !firewall && { npm: { scope: form.scope || null } }),
    },
  }
  return keep || firewall ? { config } : { config, ...credentialsOf(form) }
}

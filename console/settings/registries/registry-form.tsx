import { useState } from 'react'
import type {
  EcosystemName,
  PackageManagerConfig,
  RepositoryType,
} from '../../../src/capabilities/package-managers/contract.ts'
import { useChange, useFresh, useTagged } from '../../api/ask.ts'
import { useOpened } from '../../ui/forms/begun.ts'
import { Check, Input, Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Part } from '../../ui/states.tsx'
import { type CredentialKind, ecosystems, isOtherOrigin, kindsFor, registryBody } from './registry.ts'

const touched = ['listPackageManagerConfigs', 'getPackageManagerConfig'] as const
const mavenTypes: { value: RepositoryType; label: string }[] = [
  { value: 'MAVEN_REPOSITORY_TYPE_UNSPECIFIED', label: 'not said' },
  { value: 'MAVEN_REPOSITORY_TYPE_RELEASE', label: 'releases' },
  { value: 'MAVEN_REPOSITORY_TYPE_SNAPSHOT', label: 'snapshots' },
  { value: 'MAVEN_REPOSITORY_TYPE_BOTH', label: 'releases and snapshots' },
]

/** A new registry, or one that is read again first, so that it is changed only as it was seen. */
export function RegistryDialog({ id, onClose }: { id?: number; onClose: () => void }) {
  return id === undefined ? <RegistryForm onClose={onClose} /> : <Loaded id={id} onClose={onClose} />
}

function Loaded({ id, onClose }: { id: number; onClose: () => void }) {
  const asked = useTagged('getPackageManagerConfig', { params: { packageManagerConfigId: id } })
  const opened = useOpened(asked)
  if (opened) {
    const { data, etag } = opened
    return <RegistryForm stored={data.packageManagerConfig} etag={etag} onClose={onClose} />
  }
  return (
    <Dialog title="Registry" onClose={onClose}>
      <Part of={{ ...asked, data: undefined }}>{() => null}</Part>
    </Dialog>
  )
}

type FormProps = { stored?: PackageManagerConfig; etag?: string | undefined; onClose: () => void }

function RegistryForm({ stored, etag, onClose }: FormProps) {
  const isFirewall = stored?.registryType === 'REGISTRY_TYPE_MALWARE_FIREWALL'
  const [purpose, setPurpose] = useState<'credentials' | 'firewall'>(isFirewall ? 'firewall' : 'credentials')
  const [ecosystem, setEcosystem] = useState<EcosystemName | ''>(stored?.ecosystem || 'npm')
  const [kind, setKind] = useState<CredentialKind | 'keep'>(stored?.requiresAuth ? 'keep' : 'none')
  const [url, setUrl] = useState(stored?.url ?? '')
  const create = useChange('createPackageManagerConfig', touched)
  const update = useChange('updatePackageManagerConfig', touched)
  const fresh = useFresh('getPackageManagerConfig')
  const kinds = [
    ...(stored?.requiresAuth ? [{ value: 'keep', label: 'Keep the stored ones' }] : []),
    ...kindsFor(ecosystem),
  ]
  const moved = stored?.requiresAuth === true && url !== '' && isOtherOrigin(stored.url, url)
  const kept = kind === 'keep'
  return (
    <FormDialog
      title={stored ? `Edit ${stored.name}` : 'Add a registry'}
      action={stored ? 'Save' : 'Add'}
      onClose={onClose}
      {...(stored && {
        current: async () => {
          const { data, etag: now } = await fresh({ params: { packageManagerConfigId: stored.id } })
          const { name, url } = data.packageManagerConfig
          return {
            etag: now,
            fields: [
              { name: 'name', label: 'Name', value: name },
              { name: 'url', label: 'Address', value: url },
            ],
          }
        },
      })}
      etag={etag}
      run={async (form, ifMatch) => {
        const body = registryBody(
          {
            name: form.text('name'),
            url: form.text('url'),
            purpose,
            ecosystem,
            broker: form.has('broker'),
            repositoryType: (form.text('repositoryType') || 'MAVEN_REPOSITORY_TYPE_UNSPECIFIED') as RepositoryType,
            scope: form.text('scope'),
            kind: kept ? 'none' : kind,
            username: form.text('username'),
            password: form.secret('password'),
            token: form.secret('token'),
            role: form.text('role'),
          },
          kept && purpose === 'credentials',
        )
        if (stored) {
          await update.mutateAsync({
            params: { packageManagerConfigId: stored.id },
            body: { packageManagerConfigForInsert: body },
            ifMatch,
          })
          update.reset()
        } else {
          await create.mutateAsync({ body: { packageManagerConfigForInsert: body } })
          create.reset()
        }
        say(stored ? 'Saved.' : `${body.config.name} is added.`, 'no undo')
      }}
    >
      {(about) => (
        <>
          <Select
            label="What it is for"
            value={purpose}
            onChange={(event) => setPurpose(event.target.value as typeof purpose)}
            choices={[
              { value: 'credentials', label: 'Credentials of a registry' },
              { value: 'firewall', label: 'A host that the malware firewall lets through' },
            ]}
          />
          <Input
            label="Name"
            name="name"
            required
            maxLength={200}
            defaultValue={stored?.name}
            wrong={about('/config/name')}
          />
          <Input
            label={purpose === 'firewall' ? 'Host' : 'Address'}
            name="url"
            required
            maxLength={2048}
            placeholder={purpose === 'firewall' ? '*.packages.example.com' : 'https://packages.example.com/npm/'}
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            wrong={about('/config/url')}
            hint={
              moved && kept
                ? 'This is another scheme, host or port. Stored credentials are never sent to another place by themselves: enter them again below, or save without.'
                : undefined
            }
          />
          {purpose === 'credentials' && (
            <>
              <div className="pair">
                <Select
                  label="Ecosystem"
                  choices={ecosystems}
                  value={ecosystem}
                  wrong={about('/config/ecosystem')}
                  onChange={(event) => {
                    const next = event.target.value as EcosystemName
                    setEcosystem(next)
                    if (!kept && !kindsFor(next).some((each) => each.value === kind)) setKind('none')
                  }}
                />
                {ecosystem === 'npm' && (
                  <Input
                    label="Scope (empty: all)"
                    name="scope"
                    placeholder="@company"
                    defaultValue={stored?.additionalConfig.npm.scope ?? ''}
                    wrong={about('/npm/scope')}
                  />
                )}
                {ecosystem === 'maven' && (
                  <Select
                    label="Serves"
                    name="repositoryType"
                    choices={mavenTypes}
                    defaultValue={stored?.additionalConfig.maven.repositoryType}
                    wrong={about('/maven/repositoryType')}
                  />
                )}
              </div>
              <Select
                label="Credentials"
                choices={kinds}
                value={kind}
                onChange={(event) => setKind(event.target.value as CredentialKind)}
                hint={kind === 'none' && stored?.requiresAuth ? 'Saving drops the stored ones.' : undefined}
              />
              {kind === 'login' && (
                <div className="pair">
                  <Input label="User name" name="username" required autoComplete="off" wrong={about('/username')} />
                  <Input
                    label="Password or token"
                    name="password"
                    type="password"
                    required
                    autoComplete="new-password"
                    wrong={about('/password')}
                  />
                </div>
              )}
              {kind === 'token' && (
                <Input
                  label="Access token"
                  name="token"
                  type="password"
                  required
                  autoComplete="new-password"
                  wrong={about('/npm/token')}
                />
              )}
              {kind === 'role' && (
                <Input
                  label="Role to assume"
                  name="role"
                  required
                  placeholder="arn:aws:iam::123456789012:role/packages"
                  wrong={about('/assumeRoleArn')}
                />
              )}
            </>
          )}
          <Check name="broker" defaultChecked={stored?.useNetworkBroker} label="Reach it through the network broker" />
          <p className="muted small">Credentials are stored encrypted. No page and no answer shows them again.</p>
        </>
      )}
    </FormDialog>
  )
}

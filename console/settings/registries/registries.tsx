import { useState } from 'react'
import type { PackageManagerConfig } from '../../../src/capabilities/package-managers/contract.ts'
import { useAsk, useChange } from '../../api/ask.ts'
import { firstOf } from '../../app/address/address.ts'
import { goSearch, usePlace } from '../../app/address/location.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { SearchField } from '../../ui/forms/search-field.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { matchesText } from '../words.ts'
import { RegistryDialog } from './registry-form.tsx'

type Open = { what: 'new' } | { what: 'edit' | 'delete'; config: PackageManagerConfig }

export default function RegistriesPage() {
  const { pairs } = usePlace()
  const asked = useAsk('listPackageManagerConfigs')
  const write = useMay('package-managers:write')
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const words = firstOf(pairs, 'q') ?? ''
  const all = asked.data?.packageManagerConfigsWithCredentials ?? []
  const rows = all.filter(({ config }) => matchesText(words, config.name, config.url, config.ecosystem))
  return (
    <SettingsPage
      title="Registries"
      about="Private registries with the credentials that scan agents need, and hosts that the malware firewall lets through."
      actions={
        <Button look="primary" why={write.why} onClick={() => setOpen({ what: 'new' })}>
          Add a registry
        </Button>
      }
    >
      <Card title="Registries" aside={asked.data && plural(all.length, 'entry', 'entries')}>
        <SearchField label="Search registries" name="q" pairs={pairs} />
        <Part of={asked}>
          {() =>
            rows.length === 0 ? (
              all.length === 0 ? (
                <Empty title="No registries yet">
                  <p>
                    Packages of public registries need no entry. Add one where packages come from a registry of your own
                    that asks who you are.
                  </p>
                </Empty>
              ) : (
                <Empty title="No registry matches">
                  <Button onClick={() => goSearch([])}>Show all</Button>
                </Empty>
              )
            ) : (
              <Table
                label="Registries"
                rows={rows}
                keyOf={({ config }) => config.id}
                columns={[
                  {
                    label: 'Name',
                    cell: ({ config }) => (
                      <>
                        <Foreign text={config.name} />
                        <div className="muted small">
                          <Foreign text={config.url} mono />
                        </div>
                      </>
                    ),
                  },
                  {
                    label: 'For',
                    cell: ({ config }) =>
                      config.registryType === 'REGISTRY_TYPE_MALWARE_FIREWALL' ? 'malware firewall' : config.ecosystem,
                  },
                  {
                    label: 'Credentials',
                    cell: ({ config, credentials }) =>
                      credentials ? (
                        <Tag tone="ok">stored, sealed</Tag>
                      ) : config.requiresAuth ? (
                        <Tag tone="warn">missing</Tag>
                      ) : (
                        <span className="muted">none</span>
                      ),
                  },
                  {
                    label: 'Details',
                    cell: ({ config }) => (
                      <span className="small muted">
                        {[
                          config.useNetworkBroker && 'through the broker',
                          config.additionalConfig.npm.scope && `scope ${config.additionalConfig.npm.scope}`,
                          config.ecosystem === 'maven' &&
                            config.additionalConfig.maven.repositoryType
                              .slice('MAVEN_REPOSITORY_TYPE_'.length)
                              .toLowerCase(),
                        ]
                          .filter(Boolean)
                          .join(', ')}
                      </span>
                    ),
                  },
                  {
                    label: 'Actions',
                    quiet: true,
                    end: true,
                    cell: ({ config }) => (
                      <span className="row tight end">
                        <Button
                          why={write.why}
                          aria-label={`Edit ${config.name}`}
                          onClick={() => setOpen({ what: 'edit', config })}
                        >
                          Edit
                        </Button>
                        <Button
                          look="danger"
                          why={write.why}
                          aria-label={`Delete ${config.name}`}
                          onClick={() => setOpen({ what: 'delete', config })}
                        >
                          Delete
                        </Button>
                      </span>
                    ),
                  },
                ]}
              />
            )
          }
        </Part>
      </Card>
      {open?.what === 'new' && <RegistryDialog onClose={close} />}
      {open?.what === 'edit' && <RegistryDialog id={open.config.id} onClose={close} />}
      {open?.what === 'delete' && <DeleteDialog config={open.config} onClose={close} />}
    </SettingsPage>
  )
}

function DeleteDialog({ config, onClose }: { config: PackageManagerConfig; onClose: () => void }) {
  const remove = useChange('deletePackageManagerConfig', ['listPackageManagerConfigs'])
  return (
    <Confirm
      title={`Delete ${config.name}`}
      action={`Delete ${config.name}`}
      onClose={onClose}
      run={() =>
        remove
          .mutateAsync({ params: { packageManagerConfigId: config.id } })
          .then(() => say(`${config.name} is deleted.`, 'no undo'))
      }
    >
      <p>
        Its stored credentials go with it and cannot be read again. Scans that need packages of{' '}
        <Foreign text={config.url} mono /> fail from then on.
      </p>
    </Confirm>
  )
}

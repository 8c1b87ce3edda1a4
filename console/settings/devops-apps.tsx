import { useState } from 'react'
import type { ScmApp } from '../../src/capabilities/scm-apps/contract.ts'
import { useChange, usePages, useReadOn } from '../api/ask.ts'
import { saveFile } from '../api/download.ts'
import type { Problem } from '../api/problem.ts'
import { firstOf } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { useDeployment, useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Narrowed } from '../ui/lists/narrowed.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, ErrorBox, Part } from '../ui/states.tsx'
import { CopyLine } from '../ui/text/copy-line.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Exact, Tag } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { SettingsPage } from './frame.tsx'

const touched = ['listDevopsApps', 'getDevopsApp'] as const

export default function DevopsAppsPage() {
  const apps = usePages('listDevopsApps', { query: { pageSize: 50 } })
  const write = useMay('scm-apps:write')
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<ScmApp>()
  const expiring = firstOf(usePlace().pairs, 'state') === 'expiring'
  useReadOn(apps, expiring)
  const all = apps.data?.pages.flatMap((page) => page.apps) ?? []
  const rows = expiring ? all.filter((app) => app.expiresSoon) : all
  return (
    <SettingsPage
      title="DevOps apps"
      about="Service principals that read repositories of a DevOps service and hear of pushes and pull requests."
      actions={
        <Button look="primary" why={write.why} onClick={() => setAdding(true)}>
          New app
        </Button>
      }
    >
      {expiring && <Narrowed name="state">Only apps whose certificate expires within 30 days.</Narrowed>}
      <Part of={apps}>
        {() =>
          all.length === 0 ? (
            <Empty title="No DevOps app yet">
              <p>
                Three steps: create it here, upload its certificate to the app registration, then complete the
                installation.
              </p>
            </Empty>
          ) : (
            <>
              {rows.map((app) => (
                <AppCard key={app.id} app={app} why={write.why} onDelete={() => setDeleting(app)} />
              ))}
              {apps.hasNextPage && <Button onClick={() => void apps.fetchNextPage()}>More apps</Button>}
            </>
          )
        }
      </Part>
      {adding && <NewAppDialog onClose={() => setAdding(false)} />}
      {deleting && <DeleteDialog app={deleting} onClose={() => setDeleting(undefined)} />}
    </SettingsPage>
  )
}

function AppCard({ app, why, onDelete }: { app: ScmApp; why: string | undefined; onDelete: () => void }) {
  const { id: deploymentId } = useDeployment()
  const complete = useChange('completeDevopsApp', touched)
  const rotate = useChange('rotateDevopsAppCertificate', touched)
  const ready = app.status === 'SCM_APP_STATUS_READY'
  const waiting = app.certificates.find((each) => !each.accepted)
  const install = () =>
    complete.mutate(
      { body: { deploymentId: String(deploymentId), scmAppId: app.id } },
      { onSuccess: () => say(`${app.organizationName} / ${app.projectName} is connected.`, 'no undo') },
    )
  return (
    <Card
      title={`${app.organizationName} / ${app.projectName}`}
      aside={
        <span className="row tight">
          <Tag tone={ready ? 'ok' : 'warn'}>{ready ? 'ready' : 'waits for its certificate'}</Tag>
          {app.expiresSoon && <Tag tone="bad">certificate expires soon</Tag>}
        </span>
      }
    >
      {app.lastFailure && (
        <div className="banner bad">
          <span>
            The last completion failed at <strong>{app.lastFailure.step}</strong>, <Ago at={app.lastFailure.at} />:{' '}
            <Foreign text={app.lastFailure.detail} clamp={400} />
          </span>
        </div>
      )}
      {complete.error && <ErrorBox problem={complete.error as Problem} />}
      {waiting && (
        <section className="stack">
          <h3>{ready ? 'The new certificate waits' : 'Next: upload the certificate'}</h3>
          <ol className="prose steps">
            <li>
              Upload this certificate to the app registration <code>{app.appId}</code> in the tenant{' '}
              <code>{app.tenantId}</code>.
            </li>
            <li>Then complete the installation here. It can be repeated at any time.</li>
          </ol>
          <CopyLine text={waiting.publicCertificatePem.trim()} label="the certificate" />
          <div className="row">
            <Button look="primary" why={why ?? (complete.isPending ? 'In progress' : undefined)} onClick={install}>
              Complete the installation
            </Button>
            <Button onClick={() => saveFile(new Blob([waiting.publicCertificatePem]), `${app.slug}.pem`)}>
              Download the certificate
            </Button>
          </div>
        </section>
      )}
      <dl className="facts">
        <dt>Service</dt>
        <dd>
          <Foreign text={app.baseUrl} mono />
        </dd>
        <dt>App registration</dt>
        <dd className="mono">{app.appId}</dd>
        <dt>Certificate expires</dt>
        <dd>
          <Exact at={app.certificateExpiresAt} />
        </dd>
        <dt>Events</dt>
        <dd>
          {app.eventCount === 0 ? (
            'none yet'
          ) : (
            <>
              {plural(app.eventCount, 'event')}, the last <Ago at={app.lastEventAt} />
            </>
          )}
        </dd>
        {app.certificates.map((certificate) => (
          <FingerprintRow key={certificate.fingerprint} {...certificate} />
        ))}
      </dl>
      <div className="row">
        {!waiting && (
          <Button why={why ?? (complete.isPending ? 'In progress' : undefined)} onClick={install}>
            Check the installation
          </Button>
        )}
        <Button
          why={why}
          title="The one in use stays in use until a completion has worked with the new one."
          onClick={() =>
            rotate.mutate(
              { params: { scmAppId: Number(app.id) } },
              {
                onSuccess: () => say('A new certificate waits. The one in use goes on working until then.', 'no undo'),
                onError: (problem) => sayFailure(`Not rotated: ${problem.message}`),
              },
            )
          }
        >
          {waiting ? 'Make another certificate' : 'Rotate the certificate'}
        </Button>
        <Button look="danger" why={why} onClick={onDelete}>
          Delete…
        </Button>
      </div>
    </Card>
  )
}

function FingerprintRow({ fingerprint, accepted }: { fingerprint: string; accepted: boolean }) {
  return (
    <>
      <dt>{accepted ? 'Fingerprint in use' : 'Fingerprint waiting'}</dt>
      <dd className="mono small">{fingerprint}</dd>
    </>
  )
}

function NewAppDialog({ onClose }: { onClose: () => void }) {
  const { id: deploymentId } = useDeployment()
  const create = useChange('createDevopsApp', touched)
  return (
    <FormDialog
      title="New DevOps app"
      action="Create"
      onClose={onClose}
      run={async (form) => {
        await create.mutateAsync({
          body: {
            deploymentId: String(deploymentId),
            baseUrl: form.text('baseUrl'),
            tenantId: form.text('tenantId'),
            clientId: form.text('clientId'),
            organizationName: form.text('organizationName'),
            projectName: form.text('projectName'),
          },
        })
        say('Created. Upload its certificate next.', 'no undo')
      }}
    >
      {(about) => (
        <>
          <Input
            label="Address of the service"
            name="baseUrl"
            type="url"
            required
            defaultValue="https://dev.azure.com"
            hint="Without the organization."
            wrong={about('/baseUrl')}
          />
          <div className="pair">
            <Input
              label="Organization"
              name="organizationName"
              required
              maxLength={200}
              wrong={about('/organizationName')}
            />
            <Input label="Project" name="projectName" required maxLength={200} wrong={about('/projectName')} />
          </div>
          <Input
            label="Tenant"
            name="tenantId"
            required
            maxLength={100}
            hint="Id or domain of the identity provider's tenant."
            wrong={about('/tenantId')}
          />
          <Input
            label="Client id of the app registration"
            name="clientId"
            required
            maxLength={100}
            wrong={about('/clientId')}
          />
          <p className="muted small">A key pair is made here. The private key never leaves.</p>
        </>
      )}
    </FormDialog>
  )
}

function DeleteDialog({ app, onClose }: { app: ScmApp; onClose: () => void }) {
  const remove = useChange('deleteDevopsApp', touched)
  return (
    <Confirm
      title={`Delete the app of ${app.organizationName} / ${app.projectName}`}
      action="Delete the app"
      onClose={onClose}
      run={() =>
        remove
          .mutateAsync({ params: { scmAppId: Number(app.id) } })
          .then(({ webhooksRemoved }) =>
            say(
              webhooksRemoved
                ? 'The app and its webhooks are deleted.'
                : 'The app is deleted. Its webhooks may be left at the service; they are refused.',
              'no undo',
            ),
          )
      }
    >
      <p>
        Its keys are destroyed and its webhooks removed where the service lets us. A new app needs a new certificate.
      </p>
    </Confirm>
  )
}

import { useState } from 'react'
import type { CodeHost, ConnectedCodeHost } from '../../../src/capabilities/pull-request-feedback/contract.ts'
import { useChange, useFresh } from '../../api/ask.ts'
import { Check, Input, Select, Textarea } from '../../ui/forms/field.tsx'
import { FormDialog, type Texts } from '../../ui/forms/form-dialog.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { isOtherOrigin } from '../registries/registry.ts'
import { kinds } from './code-host-words.ts'

export const touched = ['listCodeHosts', 'getCodeHost'] as const

type Props = {
  stored?: CodeHost
  etag?: string | undefined
  onConnected: (made: ConnectedCodeHost) => void
  onClose: () => void
}

/** Connects a code host, or changes one. A stored credential is never shown. */
export function CodeHostDialog({ stored, etag, onConnected, onClose }: Props) {
  const [kind, setKind] = useState<CodeHost['kind']>(stored?.kind ?? 'github')
  const [chosen, setAuth] = useState<CodeHost['auth']>(stored?.auth ?? 'app')
  const [apiUrl, setApiUrl] = useState(stored?.apiUrl ?? kinds.github.apiUrl)
  const connect = useChange('connectCodeHost', touched)
  const update = useChange('updateCodeHost', touched)
  const fresh = useFresh('getCodeHost')
  const auth = kind === 'gitlab' ? 'token' : chosen
  const moved = stored && (isOtherOrigin(stored.apiUrl, apiUrl) || stored.auth !== auth)
  const secret = auth === 'app' ? 'Private key of the app' : 'Token'
  const read = (form: Texts) => ({
    apiUrl,
    auth,
    owners: form
      .text('owners')
      .split(/[\s,]+/)
      .filter(Boolean),
    appId: auth === 'app' ? form.text('appId') : '',
    installationId: auth === 'app' ? form.text('installationId') : '',
    postsStatus: form.has('postsStatus'),
    postsComment: form.has('postsComment'),
    postsLineComments: form.has('postsLineComments'),
  })
  return (
    <FormDialog
      title={stored ? `Change ${kinds[stored.kind].label}` : 'Connect a code host'}
      action={stored ? 'Save' : 'Connect'}
      wide
      onClose={onClose}
      {...(stored && {
        current: async () => {
          const { data, etag: now } = await fresh({ params: { codeHostId: Number(stored.id) } })
          const { owners, appId, installationId } = data.codeHost
          return {
            etag: now,
            fields: [
              { name: 'owners', label: 'Owners', value: owners.join(' ') },
              { name: 'appId', label: 'Client id of the app', value: appId },
              { name: 'installationId', label: 'Installation', value: installationId },
            ],
          }
        },
      })}
      etag={etag}
      run={async (form, ifMatch) => {
        const credential = form.secret('credential').trim()
        if (stored) {
          await update.mutateAsync({
            params: { codeHostId: Number(stored.id) },
            body: { ...read(form), ...(credential && { credential }) },
            ifMatch,
          })
          update.reset()
          say('Saved. Test it to see whether it works.', 'no undo')
        } else {
          const made = await connect.mutateAsync({ body: { ...read(form), kind, credential } })
          // Answers of changes are remembered until the next one; this one must not be.
          connect.reset()
          onConnected(made)
        }
      }}
    >
      {(about) => (
        <>
          <div className="pair">
            {!stored && (
              <Select
                label="Code host"
                name="kind"
                value={kind}
                choices={Object.entries(kinds).map(([value, { label }]) => ({ value, label }))}
                onChange={(event) => {
                  const next = event.target.value as CodeHost['kind']
                  setKind(next)
                  setApiUrl(kinds[next].apiUrl)
                }}
              />
            )}
            {kind === 'github' && (
              <Select
                label="Sign in as"
                name="auth"
                value={auth}
                choices={[
                  { value: 'app', label: 'An app: check runs' },
                  { value: 'token', label: 'The owner of a token: commit statuses' },
                ]}
                onChange={(event) => setAuth(event.target.value as CodeHost['auth'])}
                wrong={about('/auth')}
              />
            )}
          </div>
          <Input
            label="Address of its API"
            name="apiUrl"
            type="url"
            required
            value={apiUrl}
            onChange={(event) => setApiUrl(event.target.value)}
            hint={`Your own server: ${kinds[kind].selfHosted}`}
            wrong={about('/apiUrl')}
          />
          <Input
            label="Owners"
            name="owners"
            required
            defaultValue={stored?.owners.join(' ')}
            hint="Organizations, users or groups, with spaces between them. Repositories are called owner/name here, as CI uploads them."
            wrong={about('/owners') ?? about('/owners/0')}
          />
          {auth === 'app' && (
            <div className="pair">
              <Input
                label="Client id of the app"
                name="appId"
                required
                maxLength={100}
                defaultValue={stored?.appId}
                wrong={about('/appId')}
              />
              <Input
                label="Installation"
                name="installationId"
                required
                inputMode="numeric"
                maxLength={20}
                defaultValue={stored?.installationId}
                hint="The number at the end of its address."
                wrong={about('/installationId')}
              />
            </div>
          )}
          {auth === 'app' ? (
            <Textarea
              label={stored ? `${secret} (leave empty to keep it)` : secret}
              name="credential"
              rows={4}
              required={!stored || moved}
              autoComplete="off"
              spellCheck={false}
              hint="As PEM. Permissions: checks and pull requests (write), contents (read)."
              wrong={about('/credential')}
            />
          ) : (
            <Input
              label={stored ? `${secret} (leave empty to keep it)` : secret}
              name="credential"
              type="password"
              autoComplete="new-password"
              required={!stored || moved}
              hint={
                kind === 'github'
                  ? 'Permissions: commit statuses and pull requests (write), contents (read).'
                  : 'Of a project or a group: scope api, role Developer.'
              }
              wrong={about('/credential')}
            />
          )}
          <fieldset className="stack tight">
            <legend className="legend">After each scan of a pull request</legend>
            <Check
              name="postsStatus"
              label="Set a check run or commit status"
              defaultChecked={stored?.postsStatus ?? true}
            />
            <Check
              name="postsComment"
              label="Keep one comment up to date"
              defaultChecked={stored?.postsComment ?? true}
            />
            <Check
              name="postsLineComments"
              label="Comment on changed lines"
              defaultChecked={stored?.postsLineComments ?? true}
            />
          </fieldset>
        </>
      )}
    </FormDialog>
  )
}

import { useState } from 'react'
import type { OwnFactors } from '../../src/capabilities/factors/contract.ts'
import { usePlainAsk, usePlainChange } from '../api/ask.ts'
import { hasPasskeys } from '../api/passkey.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { ShownOnce } from '../ui/overlays/shown-once.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { NewPasskey, SetUpApp } from './factor-dialogs.tsx'
import { PasskeyTable } from './passkeys.tsx'

type Open =
  | { what: 'app' | 'passkey' | 'remove-app' | 'renew' }
  | { what: 'remove-passkey'; id: number; name: string }
  | { what: 'codes'; codes: readonly string[] }

const touches = ['getOwnFactors', 'listOwnSessions'] as const

/** What one proves oneself with besides the password. `onSetUp`: when there is one, and its recovery codes were put away. */
export function FactorsCard({ onSetUp }: { onSetUp?: () => void }) {
  const asked = usePlainAsk('getOwnFactors')
  const removeApp = usePlainChange('removeAuthenticatorApp', touches)
  const removePasskey = usePlainChange('removePasskey', touches)
  const renew = usePlainChange('renewRecoveryCodes', touches)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  /** Not what has opened in its place. */
  const closeOnly = (what: Open['what']) => () => setOpen((now) => (now?.what === what ? undefined : now))
  /** Recovery codes come with the first factor: they are shown before anything else. */
  const show = (codes: readonly string[]) => {
    if (codes.length > 0) setOpen({ what: 'codes', codes })
    else onSetUp?.()
  }
  return (
    <Card title="Second factor" aside={asked.data && <State factors={asked.data} />}>
      <Part of={asked}>
        {(factors) => (
          <div className="stack loose">
            <section className="stack" aria-label="Authenticator app">
              <h3>Authenticator app</h3>
              {factors.app ? (
                <p>
                  Set up <Ago at={factors.app.createdAt} />, last used <Ago at={factors.app.lastUsedAt} />.
                </p>
              ) : (
                <p className="muted">An app on your phone that shows six digits, new every 30 seconds.</p>
              )}
              <div className="row">
                <Button onClick={() => setOpen({ what: 'app' })}>
                  {factors.app ? 'Set up another app' : 'Set up an app'}
                </Button>
                {factors.app && (
                  <Button look="danger" onClick={() => setOpen({ what: 'remove-app' })}>
                    Remove the app
                  </Button>
                )}
              </div>
            </section>
            <section className="stack" aria-label="Passkeys">
              <h3>Passkeys</h3>
              <p className="muted">A passkey signs you in alone: with a finger, a face or a PIN, without a password.</p>
              {factors.passkeys.length > 0 && (
                <PasskeyTable
                  passkeys={factors.passkeys}
                  onRemove={({ id, name }) => setOpen({ what: 'remove-passkey', id, name })}
                />
              )}
              <div className="row">
                <Button why={whyNoPasskey(factors)} onClick={() => setOpen({ what: 'passkey' })}>
                  Add a passkey
                </Button>
              </div>
              {whyNoPasskey(factors) && <p className="muted small">{whyNoPasskey(factors)}</p>}
            </section>
            {hasAny(factors) && (
              <section className="stack" aria-label="Recovery codes">
                <h3>Recovery codes</h3>
                <p>
                  {plural(factors.recoveryCodes.left, 'code')} left. Each signs you in once when you have lost the rest.
                </p>
                <div className="row">
                  <Button onClick={() => setOpen({ what: 'renew' })}>Make new codes</Button>
                </div>
              </section>
            )}
          </div>
        )}
      </Part>
      {open?.what === 'app' && <SetUpApp onClose={closeOnly('app')} onDone={show} />}
      {open?.what === 'passkey' && <NewPasskey onClose={closeOnly('passkey')} onDone={show} />}
      {open?.what === 'codes' && (
        <ShownOnce
          title="Your recovery codes"
          secret={open.codes.join('\n')}
          label="the recovery codes"
          onClose={() => {
            close()
            onSetUp?.()
          }}
        >
          <p className="muted">
            Keep them where you keep passwords. Each works once, in the place of a code or a passkey.
          </p>
        </ShownOnce>
      )}
      {open?.what === 'remove-app' && (
        <Confirm
          title="Remove the authenticator app"
          action="Remove the app"
          onClose={close}
          run={() =>
            removeApp.mutateAsync({}).then(() => say('The app is removed. All other sessions have ended.', 'no undo'))
          }
        >
          <p>Its codes do not sign you in any more. All your other sessions end.</p>
        </Confirm>
      )}
      {open?.what === 'remove-passkey' && (
        <Confirm
          title={`Remove the passkey ${open.name}`}
          action="Remove the passkey"
          onClose={close}
          run={() =>
            removePasskey
              .mutateAsync({ params: { passkeyId: open.id } })
              .then(() => say('The passkey is removed. All other sessions have ended.', 'no undo'))
          }
        >
          <p>It does not sign you in any more. All your other sessions end. Delete it on the device, too.</p>
        </Confirm>
      )}
      {open?.what === 'renew' && (
        <Confirm
          title="Make new recovery codes"
          action="Make new codes"
          onClose={closeOnly('renew')}
          run={() =>
            renew.mutateAsync({}).then(({ recoveryCodes }) => {
              renew.reset()
              setOpen({ what: 'codes', codes: recoveryCodes })
            })
          }
        >
          <p>Those that you have stop working.</p>
        </Confirm>
      )}
    </Card>
  )
}

function State({ factors }: { factors: OwnFactors }) {
  if (hasAny(factors)) return <Tag tone="ok">set up</Tag>
  return <Tag tone={factors.required ? 'bad' : undefined}>{factors.required ? 'required of you' : 'not set up'}</Tag>
}

function hasAny({ app, passkeys }: OwnFactors): boolean {
  return app !== null || passkeys.length > 0
}

function whyNoPasskey({ passkeysAt }: OwnFactors): string | undefined {
  if (passkeysAt.origin === null) return passkeysAt.why
  if (passkeysAt.origin !== location.origin) return `Passkeys work at ${passkeysAt.origin}: open Gatehouse there.`
  return hasPasskeys() ? undefined : 'This browser has no passkeys.'
}

import { useState } from 'react'
import type { Token } from '../../../src/capabilities/tokens/contract.ts'
import { useAsk } from '../../api/ask.ts'
import { firstOf, withValues } from '../../app/address/address.ts'
import { goSearch, usePlace } from '../../app/address/location.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/forms/field.tsx'
import { SearchField } from '../../ui/forms/search-field.tsx'
import { Narrowed } from '../../ui/lists/narrowed.tsx'
import { Table, type TableColumn } from '../../ui/lists/table.tsx'
import { ShownOnce } from '../../ui/overlays/shown-once.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { matchesText } from '../words.ts'
import { NewTokenDialog } from './new-token.tsx'
import { tokenState } from './scopes.ts'
import { tokenColumns, useRevoking } from './token-columns.tsx'

export default function TokensPage() {
  const { pairs } = usePlace()
  const tokens = useAsk('listTokens', firstOf(pairs, 'state') === 'expiring' ? { query: { state: 'expiring' } } : {})
  const people = useAsk('listPeople')
  const write = useMay('tokens:write')
  const [adding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string>()
  const revoking = useRevoking(['listTokens'])
  const words = firstOf(pairs, 'q') ?? ''
  const ended = firstOf(pairs, 'ended') === 'yes'
  const expiring = firstOf(pairs, 'state') === 'expiring'
  const now = Date.now()
  const services = useMay('service-accounts:read')
  const accounts = useAsk('listServiceAccounts', {}, { enabled: services.may })
  const ownerOf = (token: Token) =>
    people.data?.people.find((person) => person.id === token.personId)?.name ??
    accounts.data?.serviceAccounts.find((account) => account.id === token.personId)?.name
  const usable = (token: Token) => ended || !['revoked', 'expired'].includes(tokenState(token, now))
  const all = tokens.data?.tokens ?? []
  const rows = all.filter(
    (token) => usable(token) && matchesText(words, token.name, token.hint, ownerOf(token) ?? '', ...token.scopes),
  )
  return (
    <SettingsPage
      title="API tokens"
      about="For programs. A token can do at most what its owner can, and less where it has scopes."
      actions={
        <Button look="primary" why={write.why} onClick={() => setAdding(true)}>
          New token
        </Button>
      }
    >
      <Card title="Tokens" aside={tokens.data && plural(rows.length, 'token')}>
        {expiring && <Narrowed name="state">Only tokens that expire within 14 days.</Narrowed>}
        <div className="row">
          <SearchField label="Search name, owner or scope" name="q" pairs={pairs} />
          <Check
            label="Also revoked and expired"
            checked={ended}
            onChange={(event) => goSearch(withValues(pairs, 'ended', event.target.checked ? ['yes'] : []))}
          />
        </div>
        <Part of={tokens}>
          {() =>
            rows.length === 0 ? (
              <Empty title={all.length === 0 ? 'No tokens yet' : 'No token matches'}>
                {all.length === 0 ? (
                  <p>
                    CI, package managers and scripts sign in with a token. Yours are listed here; owners and admins see
                    all.
                  </p>
                ) : (
                  <Button onClick={() => goSearch([['ended', 'yes']])}>Show all {all.length}</Button>
                )}
              </Empty>
            ) : (
              <Table
                label="Tokens"
                rows={rows}
                keyOf={(token) => token.id}
                columns={tokenColumns({ now, why: write.why, onRevoke: revoking.ask, more: ofOwner(ownerOf) })}
              />
            )
          }
        </Part>
      </Card>
      {adding && <NewTokenDialog onClose={() => setAdding(false)} onMade={setSecret} />}
      {secret && (
        <ShownOnce title="Your new token" secret={secret} label="the token" onClose={() => setSecret(undefined)}>
          <p className="muted">
            Send it as <code>Authorization: Bearer …</code>, or set it as <code>GATEHOUSE_TOKEN</code>.
          </p>
        </ShownOnce>
      )}
      {revoking.dialog}
    </SettingsPage>
  )
}

/** Whose it is, and what it is narrowed to. */
function ofOwner(ownerOf: (token: Token) => string | undefined): TableColumn<Token>[] {
  return [
    {
      label: 'Owner',
      cell: (token) => (
        <>
          <Foreign text={ownerOf(token) ?? `person ${token.personId}`} />{' '}
          {token.isService && <Tag>service account</Tag>}
        </>
      ),
    },
    {
      label: 'Scopes',
      cell: (token) =>
        token.scopes.length === 0 ? (
          'all of its owner'
        ) : (
          <details>
            <summary>{plural(token.scopes.length, 'scope')}</summary>
            <span className="small muted">{token.scopes.join(', ')}</span>
          </details>
        ),
    },
  ]
}

import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'
import { Icon } from '../icons.tsx'
import { piecesOf, safeAddress, webAddress } from './foreign-text.ts'

/** Every text that came from scans, packages or advisories goes through here: isolated, and with nothing hidden in it. */
export function Foreign({ text, mono, clamp }: { text: string; mono?: boolean; clamp?: number }) {
  const [whole, setWhole] = useState(false)
  const limit = clamp ?? Number.POSITIVE_INFINITY
  const cut = text.length > limit && !whole
  const pieces = piecesOf(cut ? text.slice(0, limit) : text)
  return (
    <>
      <bdi className={mono ? 'foreign mono' : 'foreign'}>
        {pieces.map((piece, index) =>
          piece.shown ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other name
            <span key={index} className="shown-character">
              {piece.text}
            </span>
          ) : (
            piece.text
          ),
        )}
        {cut && '…'}
      </bdi>
      {text.length > limit && (
        <>
          {' '}
          <Button look="plain" onClick={() => setWhole(!whole)}>
            {whole ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
          </Button>
        </>
      )}
    </>
  )
}

/** A link out of the console, only over https and with its host in sight. Anything else is shown as text. */
export function ForeignLink({ address, label }: { address: string; label?: string }) {
  const url = safeAddress(address)
  if (!url) return <Foreign text={address} mono />
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer">
      <Foreign text={label ? `${label} (${url.host})` : url.host + url.pathname} />
    </a>
  )
}

/** What it stands around, as a link to an address that an admin of the deployment said leads to its code host. */
export function OutLink({ address, children }: { address: string; children: ReactNode }) {
  const url = webAddress(address)
  if (!url) return children
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer" title={`Opens ${url.host}`}>
      {children} <Icon name="out" size={12} />
      <span className="visually-hidden">(opens {url.host})</span>
    </a>
  )
}

import type { PastFirewall } from '../../formats/registry-references/registry-references.ts'
import { printable } from '../scan/receipt-table.ts'

export function pastText(past: readonly PastFirewall[]): string {
  const lines = past.map(({ path, line, host, count, example }) => {
    const times = count === 1 ? 'once' : `${count} times`
    return `  ${printable(`${path}:${line}: ${host}, ${times}, for example ${example}`)}`
  })
  return ['These point past the firewall, so what they name comes in unseen:', ...lines].join('\n')
}

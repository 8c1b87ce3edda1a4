import type { InventoryItem } from '../format.ts'

/** The names that a document gives to licences of its own, so that people read those and not `LicenseRef-3`. */
export function createExtractedLicences() {
  const ids = new Map<number, string>()
  const names = new Map<number, string>()

  function take(index: number, field: string, value: unknown): void {
    if (typeof value !== 'string' || value.length > 200) return
    if (field === 'licenseId') ids.set(index, value)
    else names.set(index, value)
  }

  function nameIn(items: readonly InventoryItem[]): void {
    const known = new Map([...ids].map(([index, id]) => [id, names.get(index)]))
    for (const item of items) {
      const name = item.licence.startsWith('LicenseRef-') ? known.get(item.licence) : undefined
      if (name && name !== 'NOASSERTION') item.licence = name
    }
  }

  return { take, nameIn }
}

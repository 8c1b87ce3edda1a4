import { defineEcosystem } from '../ecosystem.ts'
import { podKey } from './order-key.ts'

/** A subspec (`Firebase/Core`) is the purl's subpath. OSV has no CocoaPods ecosystem. */
export const cocoapods = defineEcosystem({
  id: 'cocoapods',
  purlType: 'cocoapods',
  osvName: undefined,
  normalizeName: (name) => name.trim(),
  nameFromPurl: (purl) => {
    if (purl.namespace) return undefined
    return purl.subpath ? `${purl.name}/${purl.subpath}` : purl.name
  },
  nameToPurl: (name) => {
    const [pod, ...subspec] = name.split('/')
    return pod ? { name: pod, subpath: subspec.join('/') || undefined } : undefined
  },
  orderKey: podKey,
})

import { type AddressInfo, createServer } from 'node:net'
import { type Settings, shownHost } from '../settings/settings.ts'

export type ReservedPort = {
  settings: Settings
  /** Where this machine finds the server, once it listens. */
  url: string
  release(): Promise<void>
}

/**
 * Which port `PORT=0` means is known before the server is put together: links in mails, callbacks and what clients are told
 * carry it. It is held until the server takes it, so that no other program does meanwhile.
 */
export async function reservePort(settings: Settings): Promise<ReservedPort> {
  const nothingHeld = { settings, url: settings.publicUrl, release: async () => {} }
  if (settings.port !== 0) return nothingHeld
  const holder = createServer((socket) => socket.destroy())
  const isHeld = await new Promise<boolean>((resolve) => {
    holder.once('error', () => resolve(false))
    holder.listen({ host: settings.host, port: 0 }, () => resolve(true))
  })
  // The server will not be able to listen either, and says why.
  if (!isHeld) return nothingHeld
  const { port } = holder.address() as AddressInfo
  const url = `http://${shownHost(settings.host)}:${port}`
  const release = () => new Promise<void>((resolve) => holder.close(() => resolve()))
  return { settings: { ...settings, port, publicUrl: settings.givenUrl ?? url }, url, release }
}

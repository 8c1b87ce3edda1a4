import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { BackupProblem } from './backup-problem.ts'
import { damaged } from './frames.ts'

export const saltBytes = 16
const pieceBytes = 64 * 1024
const tagBytes = 16
const lengthBytes = 4
const cost: ScryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

export function newSalt(): Buffer {
  return randomBytes(saltBytes)
}

/**
 * AES-256-GCM, piece by piece, under a key that only this file has. The number of a piece is its nonce and whether it is the last
 * is authenticated: none can be left out, moved or added.
 */
export async function* encrypt(
  source: AsyncIterable<Buffer>,
  passphrase: string,
  salt: Buffer,
): AsyncGenerator<Buffer> {
  const key = await derive(passphrase, salt, 32, cost)
  let number = 0
  let held = Buffer.alloc(0)
  const seal = (piece: Buffer, isLast: boolean) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++)).setAAD(Buffer.from([isLast ? 1 : 0]))
    const sealed = Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32BE(sealed.length)
    return Buffer.concat([length, sealed])
  }
  for await (const chunk of source) {
    held = Buffer.concat([held, chunk])
    for (; held.length > pieceBytes; held = held.subarray(pieceBytes)) yield seal(held.subarray(0, pieceBytes), false)
  }
  yield seal(held, true)
}

export async function* decrypt(
  source: AsyncIterable<Buffer>,
  passphrase: string,
  salt: Buffer,
): AsyncGenerator<Buffer> {
  const key = await derive(passphrase, salt, 32, cost)
  let number = 0
  let held = Buffer.alloc(0)
  let isOver = false
  const open = (sealed: Buffer, isLast: boolean) => {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number)).setAAD(Buffer.from([isLast ? 1 : 0]))
    decipher.setAuthTag(sealed.subarray(-tagBytes))
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()])
  }
  for await (const chunk of source) {
    held = Buffer.concat([held, chunk])
    while (held.length >= lengthBytes) {
      const length = held.readUInt32BE(0)
      if (isOver || length < tagBytes || length > pieceBytes + tagBytes) throw damaged()
      if (held.length < lengthBytes + length) break
      const sealed = held.subarray(lengthBytes, lengthBytes + length)
      held = held.subarray(lengthBytes + length)
      const piece =
        tryOpen(() => open(sealed, false)) ??
        tryOpen(
          () => open(sealed, true),
          () => (isOver = true),
        )
      if (!piece) throw number === 0 ? wrongPassphrase() : damaged()
      number++
      yield piece
    }
  }
  if (!isOver || held.length > 0) throw damaged()
}

function tryOpen(open: () => Buffer, opened = () => {}): Buffer | undefined {
  try {
    const piece = open()
    opened()
    return piece
  } catch {
    return undefined
  }
}

function wrongPassphrase(): BackupProblem {
  return new BackupProblem(
    'The file cannot be decrypted: GATEHOUSE_BACKUP_PASSPHRASE is another one, or the file is damaged. Nothing was changed.',
  )
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(number), 4)
  return nonce
}

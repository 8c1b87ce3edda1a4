import { addressOf, send } from './call.ts'
import type { Input, OperationId } from './contracts.ts'
import { operations } from './operations.ts'

/** A document of the API, as a file. Its name says when it was made. */
export async function download<Id extends OperationId>(id: Id, input: Input<Id>, name: string): Promise<void> {
  const [method] = operations[id]
  const body = input.body === undefined ? null : JSON.stringify(input.body)
  const headers: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' }
  const response = await send(addressOf(id, input as Input<OperationId>), { method, headers, body })
  saveFile(await response.blob(), name)
}

/** A file that the browser fetches by itself, with its session. */
export function fetchFile(path: string, name: string): void {
  const link = document.createElement('a')
  link.href = path
  link.download = name
  link.click()
}

/** Something made here, as a file. @public */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

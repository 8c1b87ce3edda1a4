import { createServer } from 'node:net'

/**
 * Just enough of a PostgreSQL 14 to be asked for its version: no release that old can be installed here. It speaks the
 * frontend/backend protocol 3.0, lets everybody in, and answers every query with the two columns of that question.
 */
export async function oldPostgres(t: { after(clean: () => void): void }): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), ready()]))
      socket.on('data', (data) => {
        if (data.toString('latin1', 0, 1) === 'X') socket.end()
        else socket.write(Buffer.concat([columns(), row(['140009', '14.9']), message('C', text('SELECT 1')), ready()]))
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `postgres://somebody:secret@127.0.0.1:${(server.address() as { port: number }).port}/gatehouse`
}

function columns(): Buffer {
  const int4 = 23
  const asText = 25
  const column = (name: string, type: number) =>
    Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)])
  return message('T', int16(2), column('number', int4), column('shown', asText))
}

function row(values: string[]): Buffer {
  const fields = values.flatMap((value) => [int32(value.length), Buffer.from(value)])
  return message('D', int16(values.length), ...fields)
}

function ready(): Buffer {
  return message('Z', Buffer.from('I'))
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeInt32BE(value)
  return buffer
}

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2)
  buffer.writeInt16BE(value)
  return buffer
}

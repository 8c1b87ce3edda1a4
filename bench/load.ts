import { connect } from 'node:net'

/**
 * Asks for one address over a few connections, as fast as it is answered, and prints how often that was in a second. Knows
 * just enough of HTTP to see where an answer ends, so that most of the machine is left to the server.
 */
const [address = '', seconds = '3', connections = '16', ...headers] = process.argv.slice(2)
const url = new URL(address)
const request = [`GET ${url.pathname} HTTP/1.1`, `host: ${url.host}`, ...headers, '', ''].join('\r\n')
let answers = 0
let wrong = ''

function open(): void {
  const socket = connect(Number(url.port), url.hostname)
  socket.setNoDelay(true)
  let left = -1
  let head = ''
  socket.on('connect', () => socket.write(request))
  socket.on('data', (chunk: Buffer) => {
    let at = 0
    while (at < chunk.length) {
      if (left < 0) {
        const before = head.length
        head += chunk.toString('latin1', at)
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        at += end + 4 - before
        left = lengthIn(head.slice(0, end))
        head = ''
      }
      // Sent in chunks: nothing follows before the next request, so the last chunk ends what arrived.
      if (left === Number.POSITIVE_INFINITY) {
        if (chunk.toString('latin1', chunk.length - 5) !== '0\r\n\r\n') return
        left = chunk.length - at
      }
      const taken = Math.min(left, chunk.length - at)
      left -= taken
      at += taken
      if (left > 0) return
      left = -1
      answers++
      socket.write(request)
    }
  })
  socket.on('error', (error) => {
    wrong = error.message
  })
}

function lengthIn(head: string): number {
  if (!head.startsWith('HTTP/1.1 200')) wrong = head.split('\r\n')[0]!
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return Number.POSITIVE_INFINITY
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) wrong = 'an answer without a length'
  return Number(length ?? 0)
}

for (let i = 0; i < Number(connections); i++) open()
await new Promise((resolve) => setTimeout(resolve, 500))
const before = answers
const startedAt = performance.now()
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000))
const rate = (answers - before) / ((performance.now() - startedAt) / 1000)
console.log(JSON.stringify({ rate, wrong }))
process.exit(0)

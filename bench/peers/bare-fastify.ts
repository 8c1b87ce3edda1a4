import fastify from 'fastify'

/** The peer: the same answer with nothing behind it. */
const body = process.argv[2] ?? ''
const app = fastify()
app.get('/', (_, reply) => reply.type('application/json; charset=utf-8').send(body))
console.log(JSON.stringify({ url: await app.listen({ port: 0, host: '127.0.0.1' }) }))
for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => void app.close().then(() => process.exit()))

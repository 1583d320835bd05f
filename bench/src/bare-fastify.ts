import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'

/** The cost of a management answer of the same size without keys, rules and a store: Fastify serialises an object in memory. */
const app = fastify({ logger: false })
const objects = new Map<string, unknown>()

app.put('/:name', ({ params, body }, reply) => {
	objects.set((params as { name: string }).name, body)
	return reply.code(204).send()
})
app.get('/:name', ({ params }) => objects.get((params as { name: string }).name))

await app.listen({ port: 0, host: '127.0.0.1' })
process.send?.((app.server.address() as AddressInfo).port)
process.on('disconnect', () => process.exit(0))

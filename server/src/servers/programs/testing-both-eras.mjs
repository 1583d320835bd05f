import { setTimeout } from 'node:timers/promises'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

// It starts after so many milliseconds, as a program that is downloaded first.
await setTimeout(Number(process.argv[2] ?? 0))

/** Takes the era of the first message that comes, and asks in the middle of a call, as the older era does. */
serveStdio(() => {
	const server = new McpServer({ name: 'both-eras', version: '1' })
	server.registerTool('ask', { description: 'Asks who is there.' }, async () => {
		const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
		const { content } = await server.server.elicitInput({ message: 'Who?', requestedSchema })
		return { content: [{ type: 'text', text: `It is ${content?.name}.` }] }
	})
	return server
})

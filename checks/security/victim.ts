import { afterAll, beforeAll } from 'vitest'
import {
	type ScriptedUpstream,
	sendText,
	startScriptedUpstream,
} from '../../server/src/gateway/testing-upstream.ts'
import { make } from './attack.ts'

/** An MCP server with the tools `read` and `delete`, and agents that may only call `read`. */
export interface Victim {
	upstream: ScriptedUpstream
	serverId: string
	slug: string
	/** Creates an agent with a grant for `read` only, and its key. */
	newAgent(): Promise<{ id: string; key: string }>
}

let count = 0

export function useVictim(): Victim {
	const victim = {} as Victim
	beforeAll(async () => {
		const tools = ['read', 'delete'].map((name) => ({ name, inputSchema: { type: 'object' } }))
		victim.upstream = await startScriptedUpstream(tools, ({ id }, response) => sendText(response, id, 'done'))
		const name = `victim ${process.pid} ${count++}`
		const server = await make('/v1/mcp/servers', { name, url: victim.upstream.url })
		Object.assign(victim, { serverId: server.id, slug: server.slug })
		victim.newAgent = async () => {
			const { uuid } = await make('/v1/agents', { name: `agent ${count++} of ${name}` })
			const grant = { agent_uuid: uuid, access_mode: 'selected', allowed_tools: ['read'] }
			await make(`/v1/mcp/servers/${server.id}/access`, grant)
			return { id: uuid, key: (await make(`/v1/agents/${uuid}/keys`, { name: 'k' })).key }
		}
	})
	afterAll(() => victim.upstream?.close())
	return victim
}

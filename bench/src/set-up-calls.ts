import type { Program } from '../../server/src/program/program.testing.ts'
import { registerServer } from './register-server.ts'

/** Creates an agent with a key, a server whose tool it may call, and a connection to a provider at the same far end. */
export async function setUpCalls(program: Program, upstreamUrl: string) {
	const agent = await program.api<{ uuid: string }>('POST', '/v1/agents', { name: 'Bench' }, 201)
	const { key } = await program.api<{ key: string }>(
		'POST',
		`/v1/agents/${agent.uuid}/keys`,
		{ name: 'bench' },
		201,
	)
	const slug = await registerServer(program, agent.uuid, `${upstreamUrl}/mcp`)
	const connection = {
		name: 'openai',
		provider: 'openai',
		key: 'sk-bench-key',
		base_url: `${upstreamUrl}/v1`,
	}
	await program.api('POST', '/v1/provider-keys', connection, 201)
	return { agentId: agent.uuid, agentKey: key, slug }
}

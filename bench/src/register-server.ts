import type { Stage } from './stage.ts'

type Program = Stage['program']

interface Registered {
	id: string
	slug: string
}

/** Each measurement hosts its own program, and names must be unique. */
let hosted = 0

/** Registers a server at an address and grants its one tool; returns its slug. */
export async function registerServer(program: Program, agentId: string, url: string): Promise<string> {
	const given = { name: `Bench ${new URL(url).port}`, url }
	const server = await program.api<Registered>('POST', '/v1/mcp/servers', given, 201)
	return grantTool(program, agentId, server)
}

/** The same for a stdio program, which Signalbox runs in its sandbox if one is available. */
export async function hostProgram(program: Program, agentId: string, script: string): Promise<string> {
	const { workspace } = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
	await program.api('PATCH', `/v1/workspaces/${workspace.id}/rights`, { stdio: true })
	hosted += 1
	const given = { name: `Bench program ${hosted}`, command: 'node', args: [script] }
	const server = await program.api<Registered>('POST', '/v1/mcp/servers', given, 201)
	const path = `/v1/mcp/servers/${server.id}`
	const { acceptance_sentence: sentence } = await program.api<{ acceptance_sentence: string }>(
		'GET',
		`${path}/program`,
	)
	await program.api('POST', `${path}/program/acceptance`, { sentence })
	await program.api('GET', `${path}/health`)
	return grantTool(program, agentId, server)
}

async function grantTool(program: Program, agentId: string, { id, slug }: Registered): Promise<string> {
	const grant = { agent_uuid: agentId, access_mode: 'selected', allowed_tools: ['echo'] }
	await program.api('POST', `/v1/mcp/servers/${id}/access`, grant, 201)
	return slug
}

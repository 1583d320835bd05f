import type { ChildProcess } from 'node:child_process'
import type { Program } from '../../server/src/program/program.testing.ts'
import { toolBody, toolHeaders } from './calls.ts'
import { quantile } from './load.ts'
import { startPart } from './stage.ts'

export interface GrantChanges {
	changes: number
	/** From sending the change to its answer. */
	answerP50Ms: number
	answerP99Ms: number
	/** From sending the change until a tool call was decided by it. */
	effectiveP50Ms: number
	effectiveP99Ms: number
	/** Calls sent after the answer to the change but decided by the old grant. */
	staleDecisions: number
}

const changes = 100

/** Turns one grant off and on and calls its tool, with everything else in the store. */
export async function measureGrantChanges(program: Program): Promise<GrantChanges> {
	const children: ChildProcess[] = []
	const { url } = await startPart('upstream.ts', [], 1, children)
	try {
		return await measure(program, await setUp(program, url))
	} finally {
		for (const child of children) child.kill()
	}
}

async function setUp(program: Program, upstreamUrl: string) {
	const described = { name: 'Grant changes', url: `${upstreamUrl}/mcp` }
	const server = await program.api<{ id: string; slug: string }>('POST', '/v1/mcp/servers', described, 201)
	const agent = await program.api<{ uuid: string }>('POST', '/v1/agents', { name: 'Grant changes' }, 201)
	const keys = `/v1/agents/${agent.uuid}/keys`
	const { key } = await program.api<{ key: string }>('POST', keys, { name: 'bench' }, 201)
	const access = `/v1/mcp/servers/${server.id}/access`
	await program.api('POST', access, { agent_uuid: agent.uuid, access_mode: 'all' }, 201)
	const callTool = async () => {
		const headers = { ...toolHeaders, authorization: `Bearer ${key}` }
		const response = await fetch(`${program.url}/mcp/${server.slug}`, {
			method: 'POST',
			headers,
			body: toolBody,
		})
		return (await response.text()).includes('Echo: hello')
	}
	return { grantPath: `${access}/${agent.uuid}`, callTool }
}

async function measure(
	program: Program,
	{ grantPath, callTool }: Awaited<ReturnType<typeof setUp>>,
): Promise<GrantChanges> {
	const answers: number[] = []
	const effects: number[] = []
	let staleDecisions = 0
	if (!(await callTool())) throw new Error('The tool does not answer before its grant is changed.')
	for (let change = 0; change < changes; change += 1) {
		const enabled = change % 2 === 1
		const begunMs = performance.now()
		await program.api('PATCH', grantPath, { enabled })
		answers.push(performance.now() - begunMs)
		while ((await callTool()) !== enabled) staleDecisions += 1
		effects.push(performance.now() - begunMs)
	}
	const [answer, effect] = [answers, effects].map((times) => times.sort((a, b) => a - b)) as [
		number[],
		number[],
	]
	return {
		changes,
		answerP50Ms: quantile(answer, 0.5),
		answerP99Ms: quantile(answer, 0.99),
		effectiveP50Ms: quantile(effect, 0.5),
		effectiveP99Ms: quantile(effect, 0.99),
		staleDecisions,
	}
}

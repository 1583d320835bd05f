import type { ChildProcess } from 'node:child_process'
import { modelPath, toolBody, toolHeaders } from './calls.ts'
import { quantile } from './load.ts'
import { streamBody } from './model-answers.ts'
import { type Stage, startPart } from './stage.ts'

type Program = Stage['program']

/** How long a running call continued after the change that forbids it was sent, until its client received the end of the answer. */
export interface CutFigures {
	change: string
	call: string
	p50Ms: number
	maxMs: number
}

interface Registered {
	id: string
	slug: string
}

interface Issued {
	id: string
	key: string
}

interface Started {
	ended: Promise<void>
}

interface Running {
	agentPath: string
	keyPath: string
	grantPath: string
	key: string
	slug: string
}

const changes: Record<string, (program: Program, running: Running) => Promise<unknown>> = {
	'agent paused': (program, { agentPath }) => program.api('POST', `${agentPath}/pause`, {}),
	'key revoked': (program, { keyPath }) => program.api('DELETE', keyPath, undefined, 204),
	'grant switched off': (program, { grantPath }) => program.api('PATCH', grantPath, { enabled: false }),
}
const calls = { 'tool call that waits': callTool, 'model stream': openModelStream }
const rounds = process.argv.includes('--quick') ? 5 : 20

/** Each round has its own agent with one running call, and nothing else runs. */
export async function measureCuts({ program }: Stage): Promise<CutFigures[]> {
	const children: ChildProcess[] = []
	try {
		const { url } = await startPart('upstream.ts', ['waits'], 1, children)
		const given = { name: 'Waits', url: `${url}/mcp` }
		const server = await program.api<Registered>('POST', '/v1/mcp/servers', given, 201)
		const figures: CutFigures[] = []
		for (const [change, make] of Object.entries(changes))
			for (const [call, start] of Object.entries(calls)) {
				if (change === 'grant switched off' && call === 'model stream') continue
				const took: number[] = []
				for (let round = 0; round < rounds; round += 1) {
					const running = await setUp(program, server)
					const { ended } = await start(program.url, running)
					const begunMs = performance.now()
					await Promise.all([make(program, running), ended])
					took.push(performance.now() - begunMs)
				}
				took.sort((a, b) => a - b)
				figures.push({ change, call, p50Ms: quantile(took, 0.5), maxMs: took.at(-1) as number })
			}
		return figures
	} finally {
		for (const child of children) child.kill()
	}
}

let agents = 0

async function setUp(program: Program, server: Registered): Promise<Running> {
	agents += 1
	const made = await program.api<{ uuid: string }>('POST', '/v1/agents', { name: `Cut ${agents}` }, 201)
	const agentPath = `/v1/agents/${made.uuid}`
	const keys = await program.api<Issued>('POST', `${agentPath}/keys`, { name: 'bench' }, 201)
	const access = `/v1/mcp/servers/${server.id}/access`
	await program.api('POST', access, { agent_uuid: made.uuid, access_mode: 'all' }, 201)
	const paths = { agentPath, keyPath: `/v1/keys/${keys.id}`, grantPath: `${access}/${made.uuid}` }
	return { ...paths, key: keys.key, slug: server.slug }
}

/** A running call. Its end is wrapped in an object, so that awaiting the start does not await the end. */
async function callTool(url: string, { key, slug }: Running): Promise<Started> {
	const headers = { ...toolHeaders, authorization: `Bearer ${key}` }
	const ended = fetch(`${url}/mcp/${slug}`, { method: 'POST', headers, body: toolBody }).then(readToEnd)
	await new Promise((resolve) => setTimeout(resolve, 300))
	return { ended }
}

async function openModelStream(url: string, { key }: Running): Promise<Started> {
	const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
	const given = { method: 'POST', headers, body: streamBody('endless') }
	const response = await fetch(`${url}/proxy/openai${modelPath}`, given)
	if (!response.ok)
		throw new Error(`A stream was answered with HTTP ${response.status}: ${await response.text()}`)
	return { ended: readToEnd(response) }
}

/** A stream that is cut ends with an error, which counts as its end. */
async function readToEnd(response: Response): Promise<void> {
	await response.text().catch(() => '')
}

export function showCuts(figures: readonly CutFigures[]): void {
	console.log(
		'\nRunning calls that a change forbids, from sending the change to the end of the answer (goal ≤ 1 s)',
	)
	for (const { change, call, p50Ms, maxMs } of figures)
		console.log(
			`  ${change.padEnd(20)} ${call.padEnd(22)} p50 ${p50Ms.toFixed(0)} ms, longest of ${rounds} ${maxMs.toFixed(0)} ms`,
		)
}

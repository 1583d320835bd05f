import { request } from 'node:http'
import { residentMb, type Stage } from './stage.ts'

/** Memory of open streams of 2026-07-28 clients, in MB. */
export interface StreamFigures {
	count: number
	beforeMb: number
	openMb: number
	/** After all were closed. */
	afterMb: number
}

const count = 1000
const method = 'subscriptions/listen'
const body = JSON.stringify({
	jsonrpc: '2.0',
	id: 1,
	method,
	params: {
		notifications: { toolsListChanged: true },
		_meta: {
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			'io.modelcontextprotocol/clientCapabilities': {},
		},
	},
})

/** Opens 1,000 streams, twenty at a time, after a few that load the code. */
export async function measureStreams({ program }: Stage, key: string, slug: string): Promise<StreamFigures> {
	const url = `${program.url}/mcp/${slug}`
	const openAll = async (wanted: number) => {
		const ends: (() => void)[] = []
		while (ends.length < wanted)
			ends.push(...(await Promise.all(Array.from({ length: 20 }, () => open(url, key)))))
		return ends
	}
	for (const end of await openAll(20)) end()
	const beforeMb = residentMb(program.pid)
	const ends = await openAll(count)
	const openMb = residentMb(program.pid)
	for (const end of ends) end()
	await new Promise((resolve) => setTimeout(resolve, 2000))
	return { count, beforeMb, openMb, afterMb: residentMb(program.pid) }
}

export function showStreams({ count, beforeMb, openMb, afterMb }: StreamFigures): void {
	const grownMb = openMb - beforeMb
	const each = ((grownMb * 1024) / count).toFixed(0)
	console.log(
		`\n${count} open streams: ${grownMb.toFixed(0)} MB (goal ≤ 300), ${each} KB each; ${(afterMb - beforeMb).toFixed(0)} MB left when they were closed`,
	)
}

function open(url: string, key: string): Promise<() => void> {
	const headers = {
		'content-type': 'application/json',
		accept: 'application/json, text/event-stream',
		authorization: `Bearer ${key}`,
		'mcp-protocol-version': '2026-07-28',
		'mcp-method': method,
	}
	return new Promise((resolve, reject) => {
		request(url, { method: 'POST', headers, agent: false }, (response) => {
			if (response.statusCode !== 200) return reject(new Error(`A stream: HTTP ${response.statusCode}`))
			response.on('error', () => {}).once('data', () => resolve(() => void response.destroy()))
		})
			.on('error', reject)
			.end(body)
	})
}

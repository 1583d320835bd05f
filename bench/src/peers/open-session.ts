import type { Target } from '../load.ts'

const protocolVersion = '2025-06-18'
const clientInfo = { name: 'bench', version: '1' }
const call = { name: 'echo', arguments: { message: 'hello' } }

/** Opens a session of the revision that all peers support, and calls `tools/call` in it; throws unless the tool answers. */
export async function openSession(
	name: string,
	url: string,
	pid: number,
	headers: Record<string, string> = {},
): Promise<Target> {
	const common = {
		'content-type': 'application/json',
		accept: 'application/json, text/event-stream',
		...headers,
	}
	const post = (message: unknown, more = {}) =>
		fetch(url, { method: 'POST', headers: { ...common, ...more }, body: JSON.stringify(message) })
	const params = { protocolVersion, capabilities: {}, clientInfo }
	const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
	await opened.text()
	const session = opened.headers.get('mcp-session-id')
	const inSession = {
		'mcp-protocol-version': protocolVersion,
		...(session && { 'mcp-session-id': session }),
	}
	await (await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, inSession)).text()
	let lastId = 0
	const next = () => ({ jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params: call })
	const answer = await (await post(next(), inSession)).text()
	if (!answer.includes('Echo: hello')) throw new Error(`${name} answered ${answer.slice(0, 200)}`)
	const { origin, pathname } = new URL(url)
	// Each request has its own id, because a session identifies its requests by that.
	const body = () => JSON.stringify(next())
	return { name, pid, origin, path: pathname, headers: { ...common, ...inSession }, body }
}

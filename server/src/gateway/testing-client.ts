/** One answer as received. */
export interface WireAnswer {
	status: number
	headers: Headers
	text: string
	/** The JSON of the answer, also when it was sent in an event stream. */
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer has.
	body: any
}

/** A client that sends exactly the given bytes. */
export interface WireClient {
	post(body: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<WireAnswer>
	/** Makes the handshake and keeps the session for later requests. */
	initialize(protocolVersion?: string): Promise<WireAnswer>
	request(method: string, params?: object, id?: unknown): Promise<WireAnswer>
	/** Sends a complete request of 2026-07-28; `headers` and `meta` override its parts. */
	modern(
		method: string,
		params?: Record<string, unknown>,
		headers?: Record<string, string | null>,
		meta?: Record<string, unknown>,
	): Promise<WireAnswer>
	session: string
}

const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export function newWireClient(url: string, key: string, more: Record<string, string> = {}): WireClient {
	const client: WireClient = {
		session: '',
		post: async (body, headers = {}, signal) => {
			const session = client.session ? { 'mcp-session-id': client.session } : {}
			const response = await fetch(url, {
				method: 'POST',
				headers: { ...usual, authorization: `Bearer ${key}`, ...more, ...session, ...headers },
				body:
					typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
				...(signal && { signal }),
			})
			const text = await response.text()
			return { status: response.status, headers: response.headers, text, body: readJson(text) }
		},
		initialize: async (protocolVersion = '2025-11-25') => {
			const answer = await client.request('initialize', {
				protocolVersion,
				capabilities: {},
				clientInfo: { name: 'wire', version: '1' },
			})
			client.session = answer.headers.get('mcp-session-id') ?? ''
			return answer
		},
		request: (method, params = {}, id = 1) => client.post({ jsonrpc: '2.0', id, method, params }),
		modern: (method, params = {}, headers = {}, meta = {}) => {
			const all: Record<string, string | null> = {
				'mcp-protocol-version': '2026-07-28',
				'mcp-method': method,
				...(typeof params.name === 'string' && { 'mcp-name': params.name }),
				...headers,
			}
			const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<
				string,
				string
			>
			const envelope = {
				'io.modelcontextprotocol/protocolVersion': '2026-07-28',
				'io.modelcontextprotocol/clientCapabilities': {},
				...meta,
			}
			return client.post({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }, sent)
		},
	}
	return client
}

function readJson(text: string): unknown {
	const last = [...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1]
	try {
		return JSON.parse(last ?? text)
	} catch {
		return null
	}
}

/** Waits until something holds; fails after `withinMs`. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
	const end = performance.now() + withinMs
	while (!(await holds())) {
		if (performance.now() > end) throw new Error(`It did not hold within ${withinMs} ms.`)
		await new Promise((resolve) => setTimeout(resolve, 10))
	}
}

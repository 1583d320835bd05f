import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { ServerEntry, ToolDefinition } from '../../../servers/index.ts'
import type { Enforcement } from '../../enforce.ts'
import { toEvent } from '../../reply.ts'
import type { ClientSession } from './session-store.ts'

interface Stream {
	session: ClientSession
	response: ServerResponse
	/** Of the tools that the client was told of. */
	seen: string
}

const listChanged = toEvent('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')

/** The GET streams of legacy clients: kept alive, and told when the list of granted tools becomes another one. */
export class ListChangeStreams {
	readonly #enforcement: Enforcement
	readonly #streams = new Map<string, Stream>()

	constructor(enforcement: Enforcement) {
		this.#enforcement = enforcement
	}

	/** Opens the stream of a session; a newer one takes the place of an older one, which is a client that came back. */
	open(session: ClientSession, response: ServerResponse): void {
		this.close(session.id)
		response.writeHead(200, {
			'content-type': 'text/event-stream',
			'cache-control': 'no-store, no-transform',
			'x-accel-buffering': 'no',
		})
		response.write(': open\n\n')
		const stream = { session, response, seen: this.#signature(session) }
		this.#streams.set(session.id, stream)
		response.once('close', () => {
			if (this.#streams.get(session.id) === stream) this.#streams.delete(session.id)
		})
	}

	/** Sends a message on a session's stream; false when it has none. */
	send(sessionId: string, message: string): boolean {
		const stream = this.#streams.get(sessionId)
		stream?.response.write(toEvent(message))
		return stream !== undefined
	}

	close(sessionId: string): void {
		this.#streams.get(sessionId)?.response.end()
		this.#streams.delete(sessionId)
	}

	/** Permissions or servers changed: compares what each client may see with what it saw. */
	recheck(): void {
		const signatures = new Map<string, string>()
		for (const stream of this.#streams.values()) {
			const key = `${stream.session.agentId} ${stream.session.serverId ?? ''}`
			const now = signatures.get(key) ?? this.#signature(stream.session)
			signatures.set(key, now)
			if (now === stream.seen) continue
			stream.seen = now
			stream.response.write(listChanged)
		}
	}

	beat(): void {
		for (const { response } of this.#streams.values()) response.write(': alive\n\n')
	}

	closeAll(): void {
		for (const id of [...this.#streams.keys()]) this.close(id)
	}

	#signature({ agentId, serverId }: ClientSession): string {
		const one = serverId === null ? undefined : this.#enforcement.server(serverId)
		const servers = serverId === null ? this.#enforcement.serversOf(agentId) : one ? [one] : []
		const hash = createHash('sha256')
		for (const server of servers)
			for (const tool of this.#enforcement.toolsOf(agentId, server)) hash.update(digestOf(server, tool))
		return hash.digest('base64url')
	}
}

const digests = new WeakMap<ToolDefinition, string>()

function digestOf(server: ServerEntry, tool: ToolDefinition): string {
	const known = digests.get(tool)
	if (known) return known
	const digest = createHash('sha256')
		.update(`${server.slug}\n${JSON.stringify(tool)}`)
		.digest('base64url')
	digests.set(tool, digest)
	return digest
}
